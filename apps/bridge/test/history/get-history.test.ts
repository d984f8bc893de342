// What people and models ask afterwards: what changed, what happened, and who may know it.
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startWithTokens } from "../calls/helpers.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const kept = () =>
  ({ history: "on", historyFile: join(scratchDirectory(), "history.db") }) as const;

async function ask(client: Client, args: Record<string, unknown> = {}): Promise<string> {
  return (await callTool(client, "get-history", args)).text;
}

/** The lines of a time line, without the heading. */
const linesOf = (text: string) =>
  text.split("\n").filter((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /.test(line));

it("what changed today, and what happened, over a restart of the bridge", async () => {
  const settings = kept();
  const bridge = await startTestBridge(settings);
  const world = await startWorld();
  const gate = await linkGameComputer(bridge, world, { id: 12, label: "gate" });
  const client = await connectClient(bridge.mcpUrl);
  const on = (name: string, args: object) => callTool(client, name, { computerId: 12, ...args });
  await on("write-file", { path: "/gate.lua", content: "print(1)" });
  await on("edit-file", { path: "/gate.lua", oldText: "1", newText: "2" });
  await on("write-file", { path: "/readme", content: "open sesame" });
  await on("read-file", { path: "/readme" });
  await on("delete-file", { path: "/missing" });
  await on("run-program", { command: "gate.lua" });
  await on("watch-events", { events: ["knock"] });
  await on("exec-lua", { code: 'os.queueEvent("knock", "twice")' });
  const wait = "while true do os.pullEvent() end";
  const running = await on("exec-lua", { code: wait, waitMs: 0 });
  const job = /\b[0-9a-f]{18}\b/.exec(running.text)?.[0] ?? "none";
  await vi.waitFor(async () => {
    expect((await on("get-events", {})).text).toContain("twice");
  });
  await on("set-label", { label: "main gate" });
  gate.shutdown();
  await vi.waitFor(() => expect(bridge.computers.list()).toHaveLength(0));
  await bridge.close();

  const again = await startTestBridge(settings);
  const later = await connectClient(again.mcpUrl);
  const summary = await ask(later, { view: "summary", since: "today" });
  expect(summary).toContain("What changed from ");
  expect(summary).toContain(texts.filesWrittenReadmeOnceGate);
  expect(summary).toContain("programs started: gate.lua (once)");
  expect(summary).toContain('label: "main gate" (once)');
  expect(summary).toContain("calls with outcome error: 1");
  expect(summary).toContain(`still running: job ${job}`);
  expect(summary).not.toContain("read-file");

  const happened = await ask(later, { provider: "gate", around: "now" });
  const lines = linesOf(happened);
  const places = [
    " linked",
    "write-file by anyone on",
    "read-file by anyone on",
    "delete-file by anyone on computer 12 (Label: gate): error",
    "event knock of",
    "set-label by",
    " unlinked",
  ].map((part) => lines.findIndex((line) => line.includes(part)));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(lines.some((line) => line.includes('| ["twice"]'))).toBe(true);
  // The links of this process, and other computers, are not about it.
  expect(await ask(later, { provider: 12, since: "today" })).toContain("event knock");
  expect(await ask(later, { provider: "castle" })).toContain(texts.noProviderWithA);

  const only = async (args: object) => linesOf(await ask(later, { ...args }));
  expect(await only({ file: "gate.lua" })).toHaveLength(2);
  expect(await only({ outcome: "error" })).toHaveLength(1);
  expect(await only({ tool: "run-program" })).toHaveLength(1);
  expect((await only({ tool: "get-history" })).length).toBeGreaterThan(3);
  expect(await only({ text: "sesame", changes: true })).toHaveLength(1);
  expect(await only({ client: "nobody-else" })).toEqual([]);
  expect(await only({ until: "yesterday" })).toEqual([]);

  const [written = ""] = await only({ file: "readme", tool: "write-file" });
  const trace = /trace ([\w-]+)/.exec(written)?.[1];
  const whole = await ask(later, { text: trace });
  expect(whole).toContain('|  "content": "open sesame"');
  expect(whole).toContain("Its answer:");

  // Page by page it is the same line.
  const all = linesOf(await ask(later, { limit: 200 }));
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const page: string = await ask(later, { limit: 3, ...(cursor ? { cursor } : {}) });
    paged.unshift(...linesOf(page));
    cursor = /"cursor":"([^"]+)"/.exec(page)?.[1];
  } while (cursor !== undefined && paged.length < 200);
  expect(paged).toEqual(all);
  expect(all.length).toBeGreaterThan(12);
});

describe("who may know what", () => {
  const code = "return 1";
  const programs = { [code]: () => [] };

  it("other clients' calls only owners; computers, events and links only who may see them", async () => {
    const bridge = await startWithTokens(
      [
        "t-owner name=owner",
        "t-one name=one computers=1",
        "t-two name=two",
        "t-quiet name=quiet tools=-get-events",
        "t-none name=none tools=-get-history\n",
      ].join("\n"),
      kept(),
    );
    for (const computerId of [1, 2]) {
      const { fake } = await linkComputer(bridge.linkUrl, { computerId, programs });
      fake.send({ type: "event", seq: 0, name: "bell", args: [computerId] } as never);
    }
    const [owner, one, two, quiet, none] = await Promise.all(
      ["t-owner", "t-one", "t-two", "t-quiet", "t-none"].map((token) => bridge.connect(token)),
    );
    if (!owner || !one || !two || !quiet || !none) throw new Error("not connected");
    const exec = (client: Client, computerId: number) =>
      callTool(client, "exec-lua", { computerId, code });
    await exec(one, 1);
    await exec(two, 2);
    await exec(owner, 1);

    const seen = await ask(owner);
    for (const part of ["by one", "by two", "by owner", "| [1]", "| [2]", "computer 2", "linked"]) {
      expect(seen).toContain(part);
    }
    const ofOne = await ask(one);
    expect(ofOne).toContain("exec-lua by one");
    expect(ofOne).toContain("event bell of computer 1");
    expect(ofOne).toMatch(/computer 1 .*linked/);
    for (const part of ["by two", "by owner", "computer 2", "| [2]"]) {
      expect(ofOne).not.toContain(part);
    }
    expect(await ask(one, { client: "owner" })).toContain("Nothing is known");
    expect(await ask(one, { provider: 2 })).toContain(texts.noProviderWithA);
    const summary = await ask(one, { view: "summary" });
    expect(summary).toContain("by one");
    expect(summary).not.toContain("computer 2");
    expect(summary).not.toContain("by owner");

    const ofQuiet = await ask(quiet);
    expect(ofQuiet).toMatch(/computer 2 .*linked/);
    expect(ofQuiet).not.toContain("bell");
    expect(await ask(none)).toContain("does not allow get-history");
  });

  it("a client that lost the right to a tool does not read its answers any more", async () => {
    const bridge = await startWithTokens(
      "t-owner name=owner\nt-kim name=kim rate=1000/s\n",
      kept(),
    );
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const kim = await bridge.connect("t-kim");
    await callTool(kim, "list-computers");
    await callTool(kim, "exec-lua", { computerId: 1, code });
    expect(await ask(kim)).toContain("exec-lua by kim");
    bridge.write("t-owner name=owner\nt-kim name=kim tools=-exec-lua\n");
    bridge.reload();
    const again = await bridge.connect("t-kim");
    const seen = await ask(again);
    expect(seen).toContain("list-computers by kim");
    expect(seen).not.toContain("exec-lua");
  });

  it("a secret that became one later is not shown", async () => {
    const bridge = await startWithTokens("t-owner name=owner\n", kept());
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const owner = await bridge.connect("t-owner");
    await callTool(owner, "exec-lua", { computerId: 1, code: "use('abcdefgh-12345678')" });
    expect(await ask(owner)).toContain("abcdefgh-12345678");
    bridge.write("t-owner name=owner\nabcdefgh-12345678 name=new\n");
    bridge.reload();
    const seen = await ask(owner);
    expect(seen).toContain("exec-lua by owner");
    expect(seen).not.toContain("abcdefgh-12345678");
  });
});

it("without a history file: the last calls of this process, and that is said", async () => {
  const bridge = await startTestBridge({ history: "memory" });
  const programs = { "return 1": () => [] };
  await linkComputer(bridge.linkUrl, { computerId: 1, label: "gate", programs });
  const client = await connectClient(bridge.mcpUrl);
  for (let n = 0; n < 3; n++) {
    await callTool(client, "exec-lua", { computerId: 1, code: "return 1" });
  }
  await callTool(client, "list-computers");
  const text = await ask(client, { provider: "gate", tool: "exec-lua", limit: 2 });
  expect(linesOf(text)).toHaveLength(2);
  expect(text).toContain(texts.itHasNoHistory);
  const cursor = /"cursor":"([^"]+)"/.exec(text)?.[1];
  const rest = await ask(client, { provider: "gate", tool: "exec-lua", cursor });
  expect(linesOf(rest)).toHaveLength(1);
  expect(await ask(client, { view: "summary" })).toContain("Lua run: 3 times, by anyone");
  expect(linesOf(await ask(client, { text: "list-comp" }))).toHaveLength(1);
});

it("a time that cannot be read is refused with the forms that can", async () => {
  const bridge = await startTestBridge({});
  const client = await connectClient(bridge.mcpUrl);
  expect(await ask(client, { since: "soon" })).toContain('Write "22:00"');
  expect(await ask(client, { since: "now", until: "2h" })).toContain("later than until");
});
