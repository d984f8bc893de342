import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

it("events are read by time as well as by cursor, from memory and from the history file", async () => {
  for (const history of ["memory", "on"] as const) {
    const historyFile = join(scratchDirectory(), "history.db");
    const bridge = await startTestBridge({ history, historyFile });
    const world = await startWorld();
    await linkGameComputer(bridge, world);
    const client = await connectClient(bridge.mcpUrl);
    const on = (name: string, args: object) =>
      callTool(client, name, { computerId: 12, ...args }).then(({ text }) => text);
    await on("watch-events", { events: ["bell"] });
    await on("exec-lua", { code: 'os.queueEvent("bell", "first")' });
    await vi.waitFor(async () => expect(await on("get-events", {})).toContain("first"));
    const between = new Date().toISOString();
    await on("exec-lua", { code: 'os.queueEvent("bell", "second")' });
    await vi.waitFor(async () => expect(await on("get-events", {})).toContain("second"));
    const late = await on("get-events", { since: between });
    expect(late).toContain("second");
    expect(late).not.toContain("first");
    const early = await on("get-events", { since: "10m", until: between });
    expect(early).toContain("first");
    expect(early).not.toContain("second");
    expect(await on("get-events", { until: "1h" })).toContain("in that time");
    expect(await on("get-events", { since: "whenever" })).toContain("is not a time");
    await bridge.close();
  }
});
