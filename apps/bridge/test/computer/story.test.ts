import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked, screenText, startWorld } from "./helpers.js";

// A typical task of a model, step by step, with only what the tools return.
it("finds a turtle, repairs its startup file, runs it, repairs it again and reboots it", async () => {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const turtle = world.computer({
    id: 7,
    kind: "turtle",
    label: "miner",
    files: {
      "/startup.lua":
        'print("Miner ready")\nlocal fuel = turtle.getFuelLevl()\nprint("fuel " .. fuel)\nprint(fuell * 2)\n',
    },
  });
  turtle.turnOn();
  await turtle.until(() => /> *$/.test(screenText(turtle)));
  turtle.type(`wget run http://127.0.0.1:${bridge.linkPort}/install.lua --autostart\n`);
  await turtle.until(() => isLinked(bridge, 7));
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: Record<string, unknown> = {}) => callTool(client, name, args);

  const { computers } = (await call("list-computers")).structuredContent as {
    computers: { computerId: number; label: string; kind: string }[];
  };
  const miner = computers.find(({ label, kind }) => label === "miner" && kind === "turtle");
  const computerId = miner?.computerId ?? -1;

  const file = await call("read-file", { computerId, path: "/startup.lua" });
  expect(file.text).toContain("getFuelLevl");
  const { hash } = file.structuredContent as { hash: string };

  const edit = { computerId, path: "/startup.lua" };
  const repaired = await call("edit-file", {
    ...edit,
    oldText: "getFuelLevl",
    newText: "getFuelLevel",
    expectedHash: hash,
  });
  expect(repaired.isError).toBeUndefined();
  const stale = await call("edit-file", {
    ...edit,
    oldText: "x",
    newText: "y",
    expectedHash: hash,
  });
  expect(stale.isError).toBe(true);

  const run = await call("run-program", { computerId, command: "/startup.lua", waitMs: 10_000 });
  const { jobId } = run.structuredContent as { jobId: string };
  const screen = await call("read-screen", { jobId });
  expect(screen.text).toContain("Miner ready");
  expect(`${run.text}\n${screen.text}`).toMatch(/startup\.lua:4:.*(fuell|nil)/);

  await call("edit-file", { ...edit, oldText: "fuell * 2", newText: "fuel * 2" });
  const second = await call("run-program", { computerId, command: "/startup.lua", waitMs: 10_000 });
  expect(second.isError).toBeUndefined();
  expect(second.text).toContain("fuel 0");

  const rebooted = await call("power-computer", { action: "reboot", computerId });
  expect(rebooted.isError).toBeUndefined();
  expect(isLinked(bridge, 7)).toBe(true);
  expect((await call("probe-computers")).text).toBe("pong from 7 (Label: miner)");
  expect(screenText(turtle)).toContain("Miner ready");
});
