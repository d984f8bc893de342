// The activity of weeks, as the page asks for it.
import { join } from "node:path";
import type { ActionParams } from "@ccbridge/protocol/dashboard";
import { describe, expect, it } from "vitest";
import { bearer } from "../calls/helpers.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";
import { weeksOfCalls } from "./weeks-of-calls.js";

const DAY_MS = 86_400_000;

async function pages(page: WirePage, filter: ActionParams<"find-calls">, most = 20) {
  const traces: string[] = [];
  let before: string | undefined;
  for (let count = 0; count < most; count++) {
    const found = await page.act("find-calls", { ...filter, ...(before && { before }) });
    traces.push(...found.calls.map(({ trace }) => trace));
    if (found.next === null) break;
    before = found.next;
  }
  return traces;
}

const hoursOf = (traces: readonly string[]) => traces.map((trace) => Number(trace.slice(6)));

describe("earlier calls", () => {
  it("are found weeks back, page by page, newest first, by every filter", async () => {
    const hours = 24 * 40;
    const historyFile = await weeksOfCalls(hours);
    const bridge = await startWireBridge({ history: "on", historyFile });
    const page = await new WirePage(bridge).hello();
    const { calls, next } = await page.act("find-calls", {});
    expect(calls).toHaveLength(100);
    expect(calls[0]).toMatchObject({
      ...{ trace: "trace-1", client: "bob", tool: "write-file", request: { path: "notes-1.txt" } },
      ...{ outcome: "ok", durationMs: 3, answer: "did 1", waits: false },
      ...{ providers: ["computer 1"], keys: ["computer:1"] },
    });
    expect(next).not.toBeNull();
    const all = Array.from({ length: hours }, (_, index) => index + 1);
    expect(hoursOf(await pages(page, {}))).toEqual(all);
    expect(hoursOf(await pages(page, { client: "ann" }))).toEqual(all.filter((h) => h % 2 === 0));
    expect(hoursOf(await pages(page, { key: "computer:1" }))).toEqual(all.filter((h) => h % 2));
    expect(hoursOf(await pages(page, { acts: true }))).toEqual(all.filter((h) => h % 3));
    expect(hoursOf(await pages(page, { outcome: "error" }))).toEqual(
      all.filter((h) => h % 5 === 0),
    );
    expect(hoursOf(await pages(page, { text: "NOTES-777.txt" }))).toEqual([777]);
    expect(hoursOf(await pages(page, { text: "trace-900" }))).toEqual([900]);
    const until = Date.now() - 39.02 * DAY_MS;
    expect(hoursOf(await pages(page, { until }))).toEqual(all.filter((h) => h > 24 * 39));
  });

  it("of other clients are shown to owners only", async () => {
    const historyFile = await weeksOfCalls(10);
    const tokens = tokenFile("t-owner name=owner", "t-ann name=ann rate=100/s");
    const bridge = await startWireBridge({ ...tokens, history: "on", historyFile });
    const owner = await new WirePage(bridge).hello("t-owner");
    expect(await pages(owner, {})).toHaveLength(10);
    const ann = await new WirePage(bridge).hello("t-ann");
    expect(hoursOf(await pages(ann, {}))).toEqual([2, 4, 6, 8, 10]);
    expect(await pages(ann, { client: "bob" })).toEqual([]);
  });

  it("of one client or one computer can be deleted by an owner, and by no other client", async () => {
    const historyFile = await weeksOfCalls(12);
    const tokens = tokenFile("t-owner name=owner", "t-ann name=ann rate=100/s");
    const settings = { ...tokens, history: "on", historyFile } as const;
    const bridge = await startWireBridge(settings);
    const ann = await new WirePage(bridge).hello("t-ann");
    await expect(ann.act("forget-history", { client: "bob" })).rejects.toThrow("owner");
    const owner = await new WirePage(bridge).hello("t-owner");
    expect(await owner.act("forget-history", { client: "bob" })).toMatchObject({ calls: 6 });
    const hours = [2, 4, 6, 8, 10, 12];
    expect(hoursOf(await pages(owner, { text: "trace notes" }))).toEqual([]);
    expect(hoursOf(await pages(owner, { text: "notes" }))).toEqual(hours);
    const live = await owner.watch("activity", {}).first();
    expect(live.calls.map(({ client }) => client)).not.toContain("bob");
    expect(live.calls.map(({ client }) => client)).toContain("ann");
    await bridge.close();

    const again = await startWireBridge(settings);
    const later = await new WirePage(again).hello("t-owner");
    expect(hoursOf(await pages(later, { text: "notes" }))).toEqual(hours);
    await later.act("forget-history", { key: "computer:0" });
    expect(await pages(later, { text: "notes" })).toEqual([]);
    // That it was deleted is known.
    const { calls } = await later.act("find-calls", { text: "forget-history" });
    expect(calls[0]).toMatchObject({ tool: "forget-history", client: "owner" });
  });

  it("and new ones have the same trace in both lists, with and without a file", async () => {
    const historyFile = join(scratchDirectory(), "history.db");
    for (const history of ["on", "memory"] as const) {
      const bridge = await startWireBridge({ history, historyFile });
      await linkComputer(bridge.linkUrl, { computerId: 1, programs: { x: () => [] } });
      const client = await connectClient(bridge.mcpUrl, bearer("none"));
      await callTool(client, "exec-lua", { computerId: 1, code: "x" });
      const page = await new WirePage(bridge).hello();
      const live = await page.watch("activity", {}).first();
      const traces = live.calls.filter(({ tool }) => tool === "exec-lua").map((call) => call.trace);
      expect(await pages(page, { text: "exec-lua" })).toEqual(traces.reverse());
      await bridge.close();
    }
  });
});
