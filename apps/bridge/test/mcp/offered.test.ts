import type { LuaValue } from "@ccbridge/protocol";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import pino from "pino";
import { expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { tokenFile } from "../dashboard/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const door = { name: "door", description: "Opens the door." };
const opened: LuaValue[] = [{ type: "string", value: "opened" }];

it("a client is notified that a computer offers a tool, lists it and calls it by its name", async () => {
  const bridge = await startTestBridge();
  const client = await connectClient(bridge.mcpUrl);
  const before = (await client.listTools()).tools.map(({ name }) => name);
  const onListChanged = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged);
  await vi.waitFor(() => expect(bridge.registry.changes.size).toBeGreaterThan(0));
  const programs = { "call-tool door": () => opened };
  const { fake, socket } = await linkComputer(bridge.linkUrl, { computerId: 12, programs });
  fake.send({ type: "tools", tools: [door] });
  await vi.waitFor(() => expect(onListChanged).toHaveBeenCalledTimes(1));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...before, "door"]);
  expect((await callTool(client, "door")).text).toContain('Returned: "opened"');
  socket.terminate();
  await vi.waitFor(() => expect(onListChanged).toHaveBeenCalledTimes(2));
  await expect(callTool(client, "door")).rejects.toThrow('There is no tool "door"');
});

it("a call of such a tool is a job: it is followed and cancelled like any other", async () => {
  const bridge = await startTestBridge({ execWaitMs: 50 });
  const client = await connectClient(bridge.mcpUrl);
  const { program, running } = endlessProgram();
  const programs = { "call-tool dig": program };
  const { fake } = await linkComputer(bridge.linkUrl, { computerId: 12, programs });
  fake.send({ type: "tools", tools: [{ name: "dig" }] });
  await callTool(client, "probe-computers");
  expect((await client.listTools()).tools.at(-1)?.name).toBe("dig");
  const { text } = await callTool(client, "dig");
  await running;
  const [, jobId] = /as job (\S+?),/.exec(text) ?? [];
  expect(text).toContain("Still running");
  await expect
    .poll(async () => (await callTool(client, "get-job", { jobId })).text)
    .toContain("digging");
  expect((await callTool(client, "cancel-job", { jobId })).text).toMatch(/cancelled/i);
});

it("no offered tool is listed or called under what looks like the name of a built-in one", async () => {
  const bridge = await startTestBridge({ pagesTokens: ["a-page-token"] });
  const client = await connectClient(bridge.mcpUrl);
  const before = (await client.listTools()).tools.map(({ name }) => name);
  const disguised = ["Exec-Lua", "exec--lua", "\u0435xec-lua", "btcp-request-capabilities"];
  const programs = Object.fromEntries(disguised.map((name) => [`call-tool ${name}`, () => opened]));
  const { fake } = await linkComputer(bridge.linkUrl, { computerId: 12, programs });
  fake.send({ type: "tools", tools: disguised.map((name) => ({ name })) });
  await callTool(client, "probe-computers");
  const { tools } = await client.listTools();
  const offered = tools.map(({ name }) => name).slice(before.length);
  expect(offered).toHaveLength(disguised.length);
  for (const name of offered) expect(name).toMatch(/_12_[0-9a-f]{6}$|_[0-9a-f]{8}$/);
  for (const name of ["Exec-Lua", "exec--lua", "EXEC-LUA"]) {
    await expect(callTool(client, name)).rejects.toThrow(`There is no tool "${name}"`);
  }
});

it("a rule for an offered tool holds however the computer writes its name", async () => {
  const tokens = tokenFile(
    "owner-token name=owner",
    "t-not name=not tools=all,-offered:open-door",
    "t-only name=only tools=core,offered:OPEN_*",
  );
  const bridge = await startTestBridge(tokens);
  const { fake } = await linkComputer(bridge.linkUrl, { computerId: 12 });
  fake.send({ type: "tools", tools: [{ name: "Open_Door" }, { name: "lift" }] });
  const listed = async (token: string) => {
    const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer ${token}` });
    await callTool(client, "probe-computers");
    const { tools } = await client.listTools();
    return tools.map(({ name }) => name).filter((name) => /door|lift/i.test(name));
  };
  expect(await listed("owner-token")).toEqual(["Open_Door", "lift"]);
  expect(await listed("t-not")).toEqual(["lift"]);
  expect(await listed("t-only")).toEqual(["Open_Door"]);
});

it("a file that is not a tool is reported in the log, and its text cannot fake log lines", async () => {
  const lines: string[] = [];
  const bridge = await startTestBridge({}, pino({}, { write: (line) => void lines.push(line) }));
  const { fake } = await linkComputer(bridge.linkUrl, { computerId: 12, label: "base" });
  const broken = [{ file: "/mcp-tools/lift.lua", problem: "lift.lua:3: oops\n{}" }];
  fake.send({ type: "tools", tools: [], broken });
  await vi.waitFor(() =>
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        msg: texts.aToolOfThisComputer,
        computer: 12,
        file: "/mcp-tools/lift.lua",
        problem: "lift.lua:3: oops {}",
      }),
    ),
  );
});
