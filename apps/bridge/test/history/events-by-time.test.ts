import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { connect, startServerBridge } from "../server/helpers.js";

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

it("events of servers are read by time too, also those of an earlier process and of a server that is gone", async () => {
  for (const history of ["memory", "on"] as const) {
    const settings = { history, historyFile: join(scratchDirectory(), "history.db") };
    const start = async () => {
      const bridge = await startServerBridge(settings);
      const { call } = await connect(bridge);
      const read = async (args: object = {}) =>
        (await call("get-server-events", { server: "survival", ...args })).text;
      return { bridge, read };
    };
    const chat = (message: string) => ["player_chat", { player: "Steve", message }] as const;
    const { bridge, read } = await start();
    const mod = await bridge.link({ name: "survival" });
    mod.event(...chat("first"));
    await vi.waitFor(async () => expect(await read()).toContain("first"));
    const between = new Date().toISOString();
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(between)));
    mod.event(...chat("second"));
    await vi.waitFor(async () => expect(await read()).toContain("second"));

    const check = async (readNow: typeof read) => {
      const late = await readNow({ since: between });
      expect(late).toContain("second");
      expect(late).not.toContain("first");
      const early = await readNow({ since: "10m", until: between });
      expect(early).toContain("first");
      expect(early).not.toContain("second");
      // By time and by cursor.
      const rest = await readNow({ since: "10m", cursor: 1 });
      expect(rest).not.toContain("first");
      expect(await readNow({ until: "1h" })).not.toContain("Steve");
      expect(await readNow({ since: "whenever" })).toContain("is not a time");
    };
    await check(read);
    mod.drop();
    await bridge.close();
    if (history === "memory") continue;
    const again = await start();
    await check(again.read);
  }
});
