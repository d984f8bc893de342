import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { driveTime } from "../helpers/drive-time.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { listeners, startWithTokens } from "./helpers.js";

it("following a screen or a file counts towards the rate of its computer", async () => {
  const bridge = await startTestBridge({ computerRate: "2/h" });
  const world = await startWorld();
  await linkGameComputer(bridge, world, { files: { "/a.lua": "" } });
  const client = await connectClient(bridge.mcpUrl);
  await client.subscribeResource({ uri: "cc://computers/12/events" });
  await client.subscribeResource({ uri: "cc://computers/12/screen" });
  await client.subscribeResource({ uri: "cc://computers/12/files/a.lua" });
  expect((await callTool(client, "list-files", { computerId: 12 })).text).toContain("used up");
});

it.each(Object.keys(listeners))(
  "what %s follows is a call that repeats: one record and one of its rate for each minute",
  async (generation) => {
    const pass = driveTime();
    const auditFile = join(scratchDirectory(), "audit.log");
    const bridge = await startWithTokens("t-few name=kim quota=2/day\n", {
      audit: "all",
      auditFile,
    });
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    const uri = "cc://computers/1/events";
    const listener = (await listeners[generation]?.(bridge, "t-few")) ?? expect.unreachable();
    await listener.follow(uri);
    const records = () => readFileSync(auditFile, "utf8").split('"phase":"after"').length - 1;
    const announced = () => listener.received.filter((what) => what === uri).length;
    let seq = 0;
    const happen = () => fake.send({ type: "event", seq: seq++, time: 1, name: "chat", args: [] });
    const announce = async (count: number) => {
      happen();
      await vi.waitFor(() => expect(announced()).toBe(count), 10_000);
    };
    await announce(1);
    await announce(2);
    expect(records()).toBe(1);
    pass(61_000);
    await announce(3);
    await announce(4);
    expect(records()).toBe(2);
    pass(61_000);
    happen();
    const refused = () => bridge.audit.trail.recent().some(({ outcome }) => outcome === "refused");
    await vi.waitFor(() => expect(refused()).toBe(true), 10_000);
    expect(announced()).toBe(4);
  },
);
