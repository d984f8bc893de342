// All transports share one path: decision, records and what reaches the computers do not depend on
// how a call came in.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/calls/approvals.js";
import { WirePage } from "../dashboard/helpers.js";
import { openSocket } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";
import { builtProgram, cleanEnv } from "../helpers/spawn-bridge.js";
import { Agent } from "../page/agent.js";
import { SocketPage } from "../page/socket-page.js";
import { FakeMod } from "../server/fake-mod.js";
import { GameClient } from "../server/game-client.js";
import { type AnyClient, connectOver, everyTransport } from "./every-transport.js";
import { bearer, startWithTokens } from "./helpers.js";

type Bridge = Awaited<ReturnType<typeof startWithTokens>>;
type Call = (tool: string, args: Record<string, unknown>) => Promise<void>;

async function caller(connecting: Promise<AnyClient>) {
  const client = await connecting;
  const call: Call = (name, args) =>
    client.callTool({ name, arguments: args }).then(
      () => {},
      () => {},
    );
  return { call, close: () => client.close() };
}

type Entrance = (bridge: Bridge, token: string) => Promise<AnyClient>;

const withStdio: Record<string, Entrance> = {
  HTTP: everyTransport.HTTP,
  stdio: ({ mcpPort, linkPort }, token) =>
    connectOver(
      new StdioClientTransport({
        command: process.execPath,
        args: [builtProgram(), "--stdio"],
        env: cleanEnv({
          MCP_PORT: String(mcpPort),
          CC_LINK_PORT: String(linkPort),
          MCP_TOKENS: token,
        }),
        stderr: "ignore",
      }) as Transport,
    ),
};

/** A computer that answers everything at once, and records its requests. */
async function linkNoting(bridge: Bridge, computerId: number, label: string, reached: string[]) {
  const { socket } = await openSocket(bridge.linkUrl);
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  const linked = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === "hello-ok") resolve();
      if (frame.type !== "request" || frame.method === "ping") return;
      reached.push(`${label} ${frame.method}`);
      const result = { returns: [], output: "", path: "/", entries: [], total: 0 };
      send({ type: "response", id: frame.id, ok: true, result });
    });
  });
  const methods = ["ping", "exec-lua", "list-files", "read-file", "delete-file", "call-tool"];
  const hello = { computerId, computerLabel: label, protocol: 2, methods, features: [] };
  send({ type: "hello", instance: `i-${computerId}`, ...hello });
  await linked;
  send({ type: "tools", tools: [{ name: `door-${label}`, description: "A door." }] });
}

const rights = fc.record({
  mode: fc.constantFrom("look", "ask", "all"),
  tools: fc.constantFrom(
    "",
    "tools=core",
    "tools=core,-exec-lua",
    "tools=files,offered",
    "tools=offered:door-a",
    "tools=-read-file",
  ),
  computers: fc.constantFrom("", "computers=1", "computers=label:b", "computers=-2"),
  rate: fc.constantFrom("", "rate=1/h", "quota=2/day"),
});

const code = "return 1";
const call = fc.constantFrom<[string, Record<string, unknown>]>(
  ["list-computers", {}],
  ["exec-lua", { computerId: 1, code }],
  ["exec-lua", { computer: "b", code }],
  ["exec-lua", { computerId: [1, 2], code }],
  ["exec-lua", { computerId: "all", code }],
  ["exec-lua", { computerId: 9, code }],
  ["exec-lua", { computerId: 1 }],
  ["list-files", { computerId: 1, path: "/" }],
  ["list-files", { computerId: "b", path: "/" }],
  ["delete-file", { computerId: 2, path: "/x" }],
  ["door-a", {}],
  ["door-b", {}],
  ["call-offered-tool", { name: "door-a" }],
  ["call-offered-tool", { name: "door-b", arguments: {} }],
  ["cancel-job", { jobId: "none" }],
);

/** What the person at the dashboard answers to every question; undefined: the dashboard is closed. */
const person = fc.constantFrom<Decision | undefined>("call", "tool", "targets", "no", undefined);

describe.each([false, true])("with CC_READ_ONLY %s", (readOnly) => {
  it.each([
    ["every entrance", everyTransport as Record<string, Entrance>, 25],
    ["stdio", withStdio, 6],
  ] as const)("%s decides, records and reaches the same", async (_, compared, numRuns) => {
    const bridge = await startWithTokens("first name=first\n", { readOnly });
    const reached: string[] = [];
    for (const [id, label] of [
      [1, "a"],
      [2, "b"],
    ] as const) {
      await linkNoting(bridge, id, label, reached);
    }
    const { approvals, audit } = bridge;
    let run = 0;
    const outcomes = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(
        rights,
        fc.array(call, { minLength: 1, maxLength: 3 }),
        person,
        async ({ mode, tools, computers, rate }, calls, answer) => {
          run += 1;
          // One token per transport, because rates and permissions belong to a token.
          const names = Object.keys(compared);
          const words = `mode=${mode} ${tools} ${computers} ${rate}`.trim();
          bridge.write(
            names.map((_, at) => `t-${run}-${at} name=n${run}-${at} ${words}`).join("\n"),
          );
          bridge.reload();
          const stop =
            answer &&
            approvals.subscribe(() => {
              for (const { id } of approvals.list()) approvals.answer(id, answer, "ann");
            });
          const seen: unknown[] = [];
          for (const [at, name] of names.entries()) {
            const connecting = compared[name]?.(bridge, `t-${run}-${at}`);
            const opened = connecting && (await caller(connecting));
            const before = audit.trail.recent().at(-1)?.id ?? 0;
            reached.length = 0;
            for (const [tool, args] of calls) await opened?.call(tool, args);
            await opened?.close();
            const records = audit.trail
              .recent()
              .filter(({ id }) => id > before)
              .map(({ tool, outcome, providers, approvedBy, acts }) => ({
                ...{ tool, outcome, providers: [...providers], approvedBy, acts },
              }));
            seen.push({ reached: [...reached], records });
            for (const { outcome } of records) outcomes.add(outcome);
          }
          if (stop) stop();
          for (const [at, each] of seen.entries()) expect(each, names[at]).toEqual(seen[0]);
        },
      ),
      { numRuns },
    );
    if (numRuns === 25) expect(outcomes).toEqual(new Set(["ok", "refused", "error"]));
  });
});

const actions = {
  "list-files": {
    page: (page: WirePage, key: string) => page.act("list-files", { key, path: "/" }),
    client: (client: Client, computerId: number) =>
      client.callTool({ name: "list-files", arguments: { computerId, path: "/" } }),
  },
  "delete-file": {
    page: (page: WirePage, key: string) =>
      page.act("delete-file", { key, path: "/x", expectedHash: "h" }),
    client: (client: Client, computerId: number) =>
      client.callTool({
        name: "delete-file",
        arguments: { computerId, path: "/x", expectedHash: "h" },
      }),
  },
  "read-file": {
    resource: (client: Client, computerId: number) =>
      client.readResource({ uri: `cc://computers/${computerId}/files/x` }),
    subscription: (client: Client, computerId: number) =>
      client.subscribeResource({ uri: `cc://computers/${computerId}/files/x` }),
    client: (client: Client, computerId: number) =>
      client.callTool({ name: "read-file", arguments: { computerId, path: "/x" } }),
  },
} as const;

it.each([false, true])(
  "so do the dashboard, resources and subscriptions, with CC_READ_ONLY %s",
  async (readOnly) => {
    const folder = scratchDirectory();
    writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
    const dashboard = { folder, command: ["node", "main.js"], ownCommand: "ccbridge" };
    const bridge = await startWithTokens("first name=first\n", { readOnly }, undefined, {
      dashboard,
    });
    const reached: string[] = [];
    await linkNoting(bridge, 1, "a", reached);
    await linkNoting(bridge, 2, "b", reached);
    const keys = bridge.computers.list().map(({ provider }) => provider.key);
    const { approvals, audit } = bridge;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        rights,
        fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[])),
        fc.constantFrom(1, 2),
        person,
        async ({ mode, tools, computers, rate }, tool, computerId, answer) => {
          run += 1;
          const entrances = Object.entries(actions[tool]);
          const words = `mode=${mode} ${tools} ${computers} ${rate}`.trim();
          const lines = entrances.map((_, at) => `t-${run}-${at} name=n${run}-${at} ${words}`);
          bridge.write(lines.join("\n"));
          bridge.reload();
          const stop =
            answer &&
            approvals.subscribe(() => {
              for (const { id } of approvals.list()) approvals.answer(id, answer, "ann");
            });
          const seen: unknown[] = [];
          for (const [at, [name, act]] of entrances.entries()) {
            const token = `t-${run}-${at}`;
            const isPage = name === "page";
            const page = isPage ? await new WirePage(bridge).hello(token) : undefined;
            const client = isPage ? undefined : await connectClient(bridge.mcpUrl, bearer(token));
            const before = audit.trail.recent().at(-1)?.id ?? 0;
            reached.length = 0;
            const done = isPage
              ? (act as (page: unknown, key: unknown) => Promise<unknown>)(
                  page,
                  keys[computerId - 1],
                )
              : (act as (client: unknown, id: number) => Promise<unknown>)(client, computerId);
            await done.catch(() => {});
            const record = audit.trail
              .recent()
              .find(({ id, tool: name }) => id > before && name === tool);
            const isHidden = record?.providers.length === 0;
            const decision = isHidden || record?.outcome === "refused" ? "refused" : "made";
            seen.push({
              decision: record && decision,
              providers: record && [...record.providers],
              approvedBy: record?.approvedBy,
              reached: name === "subscription" ? undefined : new Set(reached),
            });
            await client?.close();
            page?.socket.terminate();
          }
          if (stop) stop();
          const isSubscribed = entrances.findIndex(([name]) => name === "subscription");
          const [first] = seen as { reached: unknown }[];
          for (const [at, each] of seen.entries()) {
            const expected = at === isSubscribed ? { ...first, reached: undefined } : first;
            expect(each, entrances[at]?.[0]).toEqual(expected);
          }
        },
      ),
      { numRuns: 40 },
    );
  },
);

const serverCall = fc.constantFrom<[string, Record<string, unknown>]>(
  ["get_online_players", {}],
  ["get_server_info", { server: "nowhere" }],
  ["get_player_info", {}],
  ["send_message", { message: "hi" }],
  ["give_item", { player: "Steve", item: "stone", quantity: 1 }],
  ["execute_command", { command: "list" }],
  ["execute_command", { command: "op Steve" }],
);

const serverRights = fc.record({
  mode: fc.constantFrom("look", "ask", "all"),
  tools: fc.constantFrom("", "tools=minecraft", "tools=core", "tools=-send_message"),
  allow: fc.constantFrom("", "allow=give_item"),
  computers: fc.constantFrom("", "computers=1"),
});

it.each([false, true])(
  "so does a client of the servers' own protocol, with CC_READ_ONLY %s",
  async (readOnly) => {
    const bridge = await startWithTokens("first name=first\n", {
      readOnly,
      minecraftTokens: ["a-token-of-servers"],
      minecraftCommands: "^list$",
    });
    const url = `${bridge.linkUrl}/minecraft`;
    const mod = await FakeMod.dial({
      ...{ url, token: "a-token-of-servers", hello: {} },
      answer: (name) => ({
        success: true,
        data: name === "get_online_players" ? ["Steve"] : { success: true },
      }),
    });
    const { approvals, audit } = bridge;
    let run = 0;
    const outcomes = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(
        serverRights,
        fc.array(serverCall, { minLength: 1, maxLength: 3 }),
        person,
        async ({ mode, tools, allow, computers }, calls, answer) => {
          run += 1;
          const words = `mode=${mode} ${tools} ${allow} ${computers}`.trim();
          bridge.write([0, 1].map((at) => `t-${run}-${at} name=n${run}-${at} ${words}`).join("\n"));
          bridge.reload();
          const stop =
            answer &&
            approvals.subscribe(() => {
              for (const { id } of approvals.list()) approvals.answer(id, answer, "ann");
            });
          const seen: unknown[] = [];
          for (const at of [0, 1]) {
            const token = `t-${run}-${at}`;
            const client = at === 0 ? await connectClient(bridge.mcpUrl, bearer(token)) : undefined;
            const game = at === 0 ? undefined : await GameClient.connect(url, token);
            // Its own calls at the start, by which it follows events, are over.
            await game?.call("subscribe_events");
            const before = audit.trail.recent().at(-1)?.id ?? 0;
            const asked = mod.requests.length;
            for (const [name, args] of calls) {
              await client?.callTool({ name, arguments: args }).catch(() => {});
              await game?.call(name, args);
            }
            await client?.close();
            game?.close();
            const records = audit.trail
              .recent()
              .filter(({ id, tool }) => id > before && calls.some(([name]) => name === tool))
              .map(({ tool, outcome, providers, approvedBy, acts }) => ({
                ...{ tool, outcome, providers: [...providers], approvedBy, acts },
              }));
            for (const { outcome } of records) outcomes.add(outcome);
            seen.push({ reached: mod.requests.slice(asked), records });
          }
          if (stop) stop();
          expect(seen[1]).toEqual(seen[0]);
        },
      ),
      { numRuns: 40 },
    );
    expect(outcomes).toEqual(new Set(["ok", "refused", "error"]));
  },
);

const pageRights = fc.record({
  mode: fc.constantFrom("look", "ask", "all"),
  tools: fc.constantFrom("", "tools=offered", "tools=core", "tools=offered:buy"),
  rate: fc.constantFrom("", "rate=1/h", "quota=2/day"),
});

const pageCall = fc.constantFrom<[string, Record<string, unknown>]>(
  ["buy", { item: "milk" }],
  ["buy", { item: 7 }],
  ["look", {}],
  ["fails", {}],
  ["nothing", {}],
);

it.each([false, true])(
  "so does an agent of the pages' own protocol, with CC_READ_ONLY %s",
  async (readOnly) => {
    const origin = "http://localhost:5173";
    const settings = { readOnly, pagesOrigins: [origin] };
    const bridge = await startWithTokens("first name=first\n", settings);
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws`, origin);
    const reached: unknown[] = [];
    for (const name of ["buy", "look", "fails"]) {
      page.handlers.set(name, (args) => {
        reached.push([name, args]);
        if (name === "fails") throw { code: "EXECUTION_ERROR", message: "no" };
        return "done";
      });
    }
    const properties = { item: { type: "string" } };
    await page.register(
      { name: "buy", inputSchema: { type: "object", properties } },
      "look",
      "fails",
    );
    const { approvals, audit } = bridge;
    let run = 0;
    const outcomes = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(
        pageRights,
        fc.array(pageCall, { minLength: 1, maxLength: 3 }),
        person,
        async ({ mode, tools, rate }, calls, answer) => {
          run += 1;
          const words = `mode=${mode} ${tools} ${rate}`.trim();
          bridge.write([0, 1].map((at) => `t-${run}-${at} name=n${run}-${at} ${words}`).join("\n"));
          bridge.reload();
          const stop =
            answer &&
            approvals.subscribe(() => {
              for (const { id } of approvals.list()) approvals.answer(id, answer, "ann");
            });
          const seen: unknown[] = [];
          for (const at of [0, 1]) {
            const token = `t-${run}-${at}`;
            const client = at === 0 ? await connectClient(bridge.mcpUrl, bearer(token)) : undefined;
            const url = `${bridge.pagesUrl}/${token}`;
            const agent = at === 0 ? undefined : (await Agent.open(url)).agent;
            const before = audit.trail.recent().at(-1)?.id ?? 0;
            reached.length = 0;
            for (const [name, args] of calls) {
              await client?.callTool({ name, arguments: args }).catch(() => {});
              await agent?.call(name, args).catch(() => {});
            }
            await client?.close();
            agent?.close();
            const records = audit.trail
              .recent()
              .filter(({ id }) => id > before)
              .map(({ tool, outcome, providers, approvedBy, acts }) => ({
                ...{ tool, outcome, providers: [...providers], approvedBy, acts },
              }));
            for (const { outcome } of records) outcomes.add(outcome);
            seen.push({ reached: [...reached], records });
          }
          if (stop) stop();
          expect(seen[1]).toEqual(seen[0]);
        },
      ),
      { numRuns: 40 },
    );
    // With CC_READ_ONLY no tool of a page is offered, so there is nothing to refuse.
    expect(outcomes).toEqual(new Set(readOnly ? [] : ["ok", "refused", "error"]));
  },
);
