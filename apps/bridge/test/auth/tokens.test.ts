import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { TokenSource } from "../../src/auth/token-source.js";
import { loadCommand } from "../../src/config/load.js";
import { bearer, startWithTokens } from "../calls/helpers.js";
import { linkComputer } from "../helpers/computer.js";
import { initialize, post } from "../helpers/http.js";
import { scratchDirectory, scratchFile } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";

const code = "return 1";
const programs = { [code]: () => [{ type: "number", value: 1 }] };

describe("a token with rights", () => {
  it("in look mode lists and calls only tools that change nothing", async () => {
    const bridge = await startWithTokens("t-look name=lou mode=look\nt-all name=ann\n");
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const look = await bridge.connect("t-look");
    const { tools } = await look.listTools();
    expect(tools.map(({ name }) => name)).toContain("list-computers");
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    const refused = await callTool(look, "exec-lua", { computerId: 1, code });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toBe(texts.execLuaMayChangeSomething);
    const all = await bridge.connect("t-all");
    expect(await callTool(all, "exec-lua", { computerId: 1, code })).not.toHaveProperty(
      "isError",
      true,
    );
    expect(bridge.audit.trail.recent()).toMatchObject([
      { client: "lou", software: "test 0", tool: "exec-lua", acts: true, outcome: "refused" },
      {
        client: "ann",
        tool: "exec-lua",
        request: { computerId: 1, code },
        providers: ["computer 1 (Label: null)"],
        outcome: "ok",
        job: expect.any(String),
      },
    ]);
  });

  it("cannot use the session of another token", async () => {
    const bridge = await startWithTokens("t-one\nt-two mode=look\n");
    const session = await initialize(bridge.mcpUrl, bearer("t-one"));
    const body = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const asked = (token: string) => post(bridge.mcpUrl, { session, body, headers: bearer(token) });
    expect((await asked("t-one")).status).toBe(200);
    expect((await asked("t-two")).status).toBe(404);
  });

  it("ends with its line: sessions of it too, and no other", async () => {
    const bridge = await startWithTokens("t-one\nt-two name=bob\nt-three mode=look\n");
    const one = await bridge.connect("t-one");
    const two = await bridge.connect("t-two");
    const three = await bridge.connect("t-three");
    bridge.write("# moved\nt-one\nt-three mode=all\n");
    bridge.reload();
    await expect(two.listTools()).rejects.toThrow();
    // A client with changed rights must reconnect.
    await expect(three.listTools()).rejects.toThrow();
    expect((await one.listTools()).tools.length).toBeGreaterThan(0);
    await expect(bridge.connect("t-two")).rejects.toThrow();
    expect((await (await bridge.connect("t-three")).listTools()).tools.length).toBeGreaterThan(20);
  });

  it("stays when the new file is bad", async () => {
    const bridge = await startWithTokens("t-one\n");
    const one = await bridge.connect("t-one");
    bridge.write("t-one mode=everything\n");
    bridge.reload();
    bridge.write("");
    bridge.reload();
    expect((await one.listTools()).tools.length).toBeGreaterThan(0);
  });
});

describe("the names of tokens", () => {
  function open(text: string, tokens: string[] = []) {
    const path = join(scratchDirectory(), "tokens");
    writeFileSync(path, text);
    const outcomes: unknown[] = [];
    const onReload = (outcome: unknown) => void outcomes.push(outcome);
    const source = new TokenSource({ tokens, path, onReload }, (problems) => {
      throw new Error(problems.join());
    });
    onTestFinished(() => source.close());
    const reload = (changed: string) => {
      writeFileSync(path, changed);
      source.reload();
      return outcomes.at(-1);
    };
    const nameOf = (token: string) => source.clients.find(token)?.name;
    return { source, path, reload, nameOf };
  }

  it("are refused at the start when two have one, without a word of a token", async () => {
    const lines = "s3cret-one name=alice\n# more\ns3cret-two name=alice mode=look\n";
    const refused = await startWithTokens(lines).catch((error: Error) => error.message);
    expect(refused).toMatch(/MCP_TOKENS_FILE: .*, line 3: the name of line 1 again/);
    expect(refused).not.toContain("s3cret");
    const env = {
      MCP_TOKENS: "s3cret-own",
      MCP_TOKENS_FILE: scratchFile("s3cret-one name=token-1"),
    };
    expect(() => loadCommand({ argv: [], env })).toThrow(new RegExp(texts.lineTheNameOfToken));
    expect(() => open("s3cret-one name=token-2\n", ["s3cret-a", "s3cret-b"])).toThrow(
      new RegExp(texts.lineTheNameOfTokenOf),
    );
    expect(open("s3cret-a name=token-1\n", ["s3cret-a"]).nameOf("s3cret-a")).toBe("token-1");
  });

  it("keep the old tokens when two have one in the file that is read again", () => {
    const { source, path, reload } = open("s3cret-one name=alice\n");
    const alice = source.clients.find("s3cret-one");
    expect(reload("s3cret-one name=alice\ns3cret-two name=alice\n")).toEqual({
      problems: [fill(texts.lineTheNameOfLineAgain, path)],
    });
    expect(source.clients.list()).toEqual([alice]);
  });

  it("that are made up do not go to another token when lines move", () => {
    const { reload, nameOf } = open("s3cret-one\ns3cret-two\n");
    expect([nameOf("s3cret-one"), nameOf("s3cret-two")]).toEqual(["line-1", "line-2"]);
    reload("s3cret-new\ns3cret-one\ns3cret-two\n");
    expect([nameOf("s3cret-one"), nameOf("s3cret-two")]).toEqual(["line-1", "line-2"]);
    expect(nameOf("s3cret-new")).toBe("line-1.2");
    reload("s3cret-other\n");
    expect(nameOf("s3cret-other")).not.toMatch(/^line-1(\.2)?$/);
    reload("s3cret-one\n");
    expect(nameOf("s3cret-one")).toBe("line-1");
    reload("s3cret-named name=line-1\ns3cret-one\n");
    expect(nameOf("s3cret-named")).toBe("line-1");
    expect(nameOf("s3cret-one")).not.toBe("line-1");
  });
});

it("the file is reloaded when it changes", async () => {
  const path = join(scratchDirectory(), "tokens");
  writeFileSync(path, "t-one\n");
  const outcomes: unknown[] = [];
  let onReloaded = () => {};
  const next = () => new Promise<void>((resolve) => (onReloaded = resolve));
  const onReload = (outcome: unknown) => {
    outcomes.push(outcome);
    onReloaded();
  };
  const source = new TokenSource({ tokens: ["t-own"], path, onReload, pollMs: 20 }, (problems) => {
    throw new Error(problems.join());
  });
  onTestFinished(() => source.close());
  const first = source.clients.find("t-one");
  let reloaded = next();
  writeFileSync(path, "t-one\nt-two-is-longer name=bob mode=look\n");
  await reloaded;
  expect(outcomes).toEqual([{ clients: 3 }]);
  expect(source.clients.find("t-one")).toBe(first);
  expect(source.clients.find("t-two-is-longer")).toMatchObject({ name: "bob" });
  reloaded = next();
  writeFileSync(path, "nobody mode=god\n");
  await reloaded;
  expect(outcomes[1]).toEqual({
    problems: [fill(texts.lineModeMustBeOneOf, path)],
  });
  expect(source.clients.find("t-one")).toBe(first);
  reloaded = next();
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "a file in the place of the folder");
  await reloaded;
  expect(outcomes[2]).toEqual({ problems: [expect.stringContaining("cannot read the file")] });
  rmSync(dirname(path));
  mkdirSync(dirname(path));
  expect(source.clients.find("t-own")).toMatchObject({ name: "token-1", rights: { mode: "all" } });
});
