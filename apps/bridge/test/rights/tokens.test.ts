import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TokenSource } from "../../src/access/token-source.js";
import { linkComputer } from "../helpers/computer.js";
import { initialize, post } from "../helpers/http.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";
import { bearer, startWithTokens } from "./helpers.js";

const code = "return 1";
const programs = { [code]: () => [{ type: "number", value: 1 }] };

describe("a token with rights", () => {
  it("in look mode shows and calls only tools that change nothing", async () => {
    const bridge = await startWithTokens("t-look name=lou mode=look\nt-all name=ann\n");
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const look = await bridge.connect("t-look");
    const { tools } = await look.listTools();
    expect(tools.map(({ name }) => name)).toContain("list-computers");
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    const refused = await callTool(look, "exec-lua", { computerId: 1, code });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toBe(
      "exec-lua may change something, and the token of this client (lou) is read-only.\nNothing was done.",
    );
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
    // Other rights are another client: it connects again with them.
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

it("the file is read again by itself when it changes", async () => {
  const path = join(scratchDirectory(), "tokens");
  writeFileSync(path, "t-one\n");
  const outcomes: unknown[] = [];
  let heard = () => {};
  const next = () => new Promise<void>((resolve) => (heard = resolve));
  const onReload = (outcome: unknown) => {
    outcomes.push(outcome);
    heard();
  };
  const source = new TokenSource({ tokens: ["t-own"], path, onReload, lookMs: 20 }, (problems) => {
    throw new Error(problems.join());
  });
  onTestFinished(() => source.close());
  const first = source.clients.find("t-one");
  let told = next();
  writeFileSync(path, "t-one\nt-two-is-longer name=bob mode=look\n");
  await told;
  expect(outcomes).toEqual([{ clients: 3 }]);
  expect(source.clients.find("t-one")).toBe(first);
  expect(source.clients.find("t-two-is-longer")).toMatchObject({ name: "bob" });
  told = next();
  writeFileSync(path, "nobody mode=god\n");
  await told;
  expect(outcomes[1]).toEqual({
    problems: [`${path}, line 1: mode= must be one of look, ask, all`],
  });
  expect(source.clients.find("t-one")).toBe(first);
  told = next();
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "a file in the place of the folder");
  await told;
  expect(outcomes[2]).toEqual({ problems: [expect.stringContaining("cannot read the file")] });
  rmSync(dirname(path));
  mkdirSync(dirname(path));
  expect(source.clients.find("t-own")).toMatchObject({ name: "token-1", rights: { mode: "all" } });
});
