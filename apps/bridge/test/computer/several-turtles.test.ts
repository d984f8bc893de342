import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

async function turtles() {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const place = (id: number, fuel: number) =>
    linkGameComputer(bridge, world, {
      ...{ id, label: `digger${id}`, kind: "turtle" },
      turtle: { fuel, position: { x: 10 * id, y: 64, z: 0 }, facing: "north" },
    });
  const placed = [await place(1, 100), await place(2, 100), await place(3, 0)];
  await linkGameComputer(bridge, world, { id: 4, label: "base" });
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: object) => callTool(client, name, { ...args });
  return { placed, call };
}

describe("several turtles in one call", () => {
  it("run the same steps at the same time, and each reports", async () => {
    const { placed, call } = await turtles();
    const steps = ["forward 3", "turnLeft"];
    const { text, isError } = await call("turtle-run", { computerId: [1, "digger2"], steps });
    expect(isError, text).toBeUndefined();
    expect(text).toMatch(/^2 of 2 succeeded\.\n.*digger1[\s\S]*digger2/);
    expect(placed.map(({ turtle }) => turtle?.position.z)).toEqual([-3, -3, 0]);
    const all = await call("turtle-run", { computerId: "all turtles", steps: ["back"] });
    expect(all.isError).toBe(true);
    expect(all.text).toMatch(/^2 of 3 succeeded, 1 failed\./);
    expect(placed.map(({ turtle }) => turtle?.position.x)).toEqual([11, 21, 30]);
  });

  it("move only if all of them can go where they are sent", async () => {
    const { placed, call } = await turtles();
    await call("set-position", { computerId: 1, x: 10, y: 64, z: 0, facing: "north" });
    const steps = ["goto 10 64 -5"];
    const { text, isError } = await call("turtle-run", { computerId: "digger*", steps });
    expect(isError).toBe(true);
    expect(text).toContain("Nothing was done");
    expect(placed.map(({ turtle }) => turtle?.position.z)).toEqual([0, 0, 0]);
    const dry = await call("turtle-run", { computerId: [1, 2], steps: ["up"], dryRun: true });
    expect(dry.text.match(/this is an estimate/g)).toHaveLength(2);
  });

  it("do not include what is no turtle, and are never at one place", async () => {
    const { call } = await turtles();
    const named = await call("turtle-run", { computerId: [1, 4], steps: ["up"] });
    expect(named.text).toContain("is not a turtle");
    const place = { x: 1, y: 2, z: 3 };
    const two = await call("set-position", { computerId: "all turtles", ...place });
    expect(two.isError).toBe(true);
    expect(two.text).toContain(texts.turtlesCannotBeAt);
    const one = await call("set-position", { computerId: ["digger2"], ...place, facing: "east" });
    expect(one.isError, one.text).toBeUndefined();
    const status = await call("turtle-status", { computerId: [1, 2] });
    expect(status.structuredContent).toMatchObject({
      turtles: [{ position: null }, { position: place, facing: "east" }],
    });
  });
});
