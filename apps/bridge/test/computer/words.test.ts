import type { PlacedComputerOptions } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

// Answers that used to contain too little, too much, or contradictions.

async function game(options: PlacedComputerOptions = {}) {
  const bridge = await startTestBridge({ structured: false });
  const computer = await linkGameComputer(bridge, await startWorld(), options);
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: object) => callTool(client, name, { computerId: 12, ...args });
  const run = (code: string) => call("exec-lua", { code });
  return { computer, client, call, run };
}

describe("an answer", () => {
  it("does not claim that code with a syntax error ran", async () => {
    const { run } = await game();
    const { text } = await run("local = 5");
    expect(text).toContain(texts.syntaxErrorNothingRan);
    expect(text).not.toContain("has happened");
    expect((await run("error('late')")).text).toContain(texts.whatItDidBeforeThat);
  });

  it("of exec-lua has no global of an earlier call, as the tool's text says", async () => {
    const { run, client } = await game();
    expect((await run("kept = 5 return kept")).text).toContain("Returned: 5");
    expect((await run("return kept")).text).toContain("Returned: nil");
    const { tools } = await client.listTools();
    const { description } = tools.find(({ name }) => name === "exec-lua") ?? {};
    expect(description).toContain(texts.globalsAreNotKept);
  });

  it("to a call of an unknown tool has its prefix once", async () => {
    const { client } = await game();
    await expect(client.callTool({ name: "exec-lau", arguments: {} })).rejects.toThrow(
      new RegExp(texts.mcpErrorThereIsNo, "s"),
    );
  });

  it("never recommends shell.run where run-program is meant", async () => {
    const { call, client } = await game();
    const { text } = await call("write-file", { path: "/door.lua", content: "print(1)" });
    expect(text).not.toContain("shell.run");
    expect(JSON.stringify(await client.listTools())).not.toContain("shell.run");
  });

  it("says that a computer is not a turtle when code wants one", async () => {
    const { run } = await game({ kind: "computer" });
    expect((await run("turtle.forward()")).text).toContain(texts.thisComputerIsNot);
  });

  it("shows a cut value as a beginning, and how to get the rest", async () => {
    const { run } = await game();
    const { text } = await run('local t = {} for i = 1, 900 do t[i] = "item " .. i end return t');
    expect(text).toMatch(/^Returned: \{ "item 1", "item 2", .*\.\.\. \} \(cut\)$/m);
    expect(text).toContain(texts.theReturnedValueWasCut);
    const long = await run('return ("x"):rep(20000)');
    expect(long.text).toMatch(/^Returned: "x+"\.\.\. \(cut\)$/m);
    expect(long.text).toContain(texts.theReturnedValueWasCutReturn);
  });

  it("shows control characters instead of dropping them", async () => {
    const { run, call, computer } = await game();
    expect((await run('write("a\\rb\\27[31mc\\7d\\r\\ne")')).text).toContain("a␍b␛[31mc␇d␍\n| e");
    computer.fs.write("/odd.txt", "bell\x07\n");
    const { text } = await call("read-file", { path: "/odd.txt" });
    expect(text).toContain("bell␇");
    expect(text).toContain(texts.controlCharactersAreShown);
  });

  it("of a search counts matches and files, one of each or many", async () => {
    const { call } = await game({
      files: { "/w/a": "ore\nore\n", "/w/b": "ore\n", "/w/c": "stone\n", "/w/d": "\0ore" },
    });
    const search = async (query: string, more: object = {}) =>
      (await call("search-files", { query, path: "/w", ...more })).text;
    expect(await search("ore")).toMatch(new RegExp(texts.matchesUnderOnFilesSearched, "s"));
    expect(await search("stone", { glob: "c" })).toMatch(/^1 match under .*; 1 file searched\.\n/);
    expect(await search("gold")).toMatch(/^No match under .*; 3 files searched\.\n/);
    const first = await search("ore", { limit: 2 });
    expect(first).toMatch(/^2 matches shown under /);
    expect(first).toContain(texts.thereAreMoreCallSearch);
    expect(await search("ore", { limit: 2, offset: 2 })).toMatch(/^1 match under /);
  });

  it("of a search leaves this program's own file out", async () => {
    const { call, computer } = await game();
    computer.fs.write("/mine.lua", "-- mcp-computer is mentioned here\n");
    const { text } = await call("search-files", { query: "mcp-computer" });
    expect(text).toContain("1 match under ");
    expect(text).toContain("/mine.lua:1|");
    expect(text).not.toContain("/mcp-computer.lua:");
    const own = await call("search-files", { query: "mcp-computer", path: "/mcp-computer.lua" });
    expect(own.text).toContain("/mcp-computer.lua:");
  });

  it("keeps a name with non-ASCII characters unchanged", async () => {
    const { call } = await game();
    const path = "/caf\u00e9 \u2192.txt";
    expect((await call("write-file", { path, content: "x" })).isError).toBeUndefined();
    const { text } = await call("list-files", { path: "/" });
    expect(text).toContain("caf\u00e9 \u2192.txt");
    expect((await call("read-file", { path })).text).toContain("\n| x");
  });

  it("knows a new label in jobs and events too", async () => {
    const { call } = await game();
    await call("watch-events", { events: ["x"] });
    const { text } = await call("exec-lua", { code: "sleep(60)", waitMs: 0 });
    const jobId = /as job (\w+)/.exec(text)?.[1];
    await call("set-label", { label: "miner" });
    await expect
      .poll(async () => (await call("list-computers", { computerId: undefined })).text)
      .toContain("12 (Label: miner)");
    expect((await call("get-job", { jobId, computerId: undefined })).text).toContain(
      "Still running on 12 (Label: miner)",
    );
    expect((await call("get-events", {})).text).toContain("No events of 12 (Label: miner)");
  });

  it("of a cancelled editor has no screenful of empty lines", async () => {
    const { call } = await game({
      files: {
        "/form.lua":
          "term.clear() term.setCursorPos(1, 1) print('top') term.setCursorPos(1, 19) write('bottom') os.pullEvent('never')",
      },
    });
    const started = await call("run-program", { command: "form", waitMs: 0 });
    const jobId = /as job (\w+)/.exec(started.text)?.[1];
    await call("read-screen", { jobId, computerId: undefined, waitFor: "bottom" });
    const { text } = await call("cancel-job", { jobId, computerId: undefined });
    expect(text).toContain("Cancelled on 12");
    expect(text).toContain("Output:\n| top\n| \n| bottom");
  });
});
