// The correctness properties of the bridge, by their numbers in the design of the Minecraft bridge;
// docs/testing.md has a table of all.
import { once } from "node:events";
import { request } from "node:http";
import {
  DIALECT_VERSION,
  encodeEvent,
  encodeRequest,
  eventTypes,
  isQuery,
  type ToolName,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import pino from "pino";
import { expect, it } from "vitest";
import { defaultConfig } from "../../src/index.js";
import { createReport } from "../../src/startup/report.js";
import { startWithTokens } from "../rights/helpers.js";
import { anyCall, commandCall, gameEvent } from "./arbitraries.js";
import { FakeMod } from "./fake-mod.js";
import { connect, startServerBridge, token } from "./helpers.js";
import { everything, happen, hello, nextNumber, read, runs, someJoin } from "./property-steps.js";

/** Lines of tokens, and what each may and may not. */
const clientLines: Record<string, { granted: ToolName[]; barred: ToolName[]; looks: boolean }> = {
  "t-plain": { granted: [], barred: [], looks: false },
  "t-look mode=look": { granted: [], barred: [], looks: true },
  "t-give allow=give_item": { granted: ["give_item"], barred: [], looks: false },
  "t-less tools=-send_message,-execute_command allow=teleport_player,send_message": {
    granted: ["teleport_player", "send_message"],
    barred: ["send_message", "execute_command"],
    looks: false,
  },
};

// Feature: minecraft-mcp-bridge, Property 12: Malformed message resilience
it("Property 12: a malformed message is logged, and the next one is taken", async () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const bridge = await startServerBridge({}, log);
  // The log is bounded for each peer; what it is told is not.
  let problems = 0;
  bridge.registry.changes.subscribe(({ topic }) => {
    if (topic === "problem") problems += 1;
  });
  const malformed = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((payload) => `{"version":"1.0.0","type":"event","payload":${payload}}`),
  );
  await fc.assert(
    fc.asyncProperty(malformed, fc.array(malformed, { maxLength: 5 }), async (first, more) => {
      const mod = await bridge.link({ hello });
      const before = problems;
      for (const text of [first, ...more]) mod.send(text);
      await happen(mod, someJoin);
      expect(problems).toBeGreaterThan(before);
      mod.drop();
    }),
    runs,
  );
  expect(lines.join("")).toContain("bad frame");
});

// Feature: minecraft-mcp-bridge, Property 13: Connection error recovery
it("Property 13: a lost link is logged with the reason, and the server is taken again with its events", async () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const bridge = await startServerBridge({}, log);
  const { call } = await connect(bridge);
  // The log is bounded for each peer; what it is told is not.
  let lost = (_: string) => {};
  bridge.registry.changes.subscribe((change) => {
    if (change.topic === "unlinked") lost(change.reason);
  });
  // The bridge never dials: whoever lost the link does.
  const again = { name: "survival", hello: { ...hello, instance: "run-1" } };
  let mod = await bridge.link(again);
  let cursor = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1_000, 1_001, 1_011, "cut"), gameEvent, async (how, event) => {
      const reason = new Promise<string>((resolve) => {
        lost = resolve;
      });
      if (typeof how === "number") mod.hangUp(how);
      else mod.drop();
      expect(await reason).not.toBe("");
      mod = await bridge.link(again);
      await happen(mod, event);
      const page = await read(call, { server: "survival", cursor });
      cursor = page.cursor;
      expect(page.events).toMatchObject([{ event: event.eventType, data: event.data }]);
    }),
    runs,
  );
  expect(lines.join("")).toMatch(/"reason":".+server unlinked"/);
});

// Feature: minecraft-mcp-bridge, Property 14: Component startup logging
it("Property 14: the log of a start has the version, addresses and permissions, and no token", () => {
  const secret = fc.stringMatching(/^[a-z0-9]{24}$/);
  const version = fc.stringMatching(/^\d\.\d{1,2}\.\d$/);
  fc.assert(
    fc.property(version, secret, fc.subarray([...toolNames]), (name, tokenOfServers, tools) => {
      const report = createReport({
        config: {
          ...defaultConfig(),
          minecraftTokens: [tokenOfServers],
          minecraftTools: tools,
        },
        version: name,
        program: "ccbridge",
        ownCommand: "ccbridge",
        mcpPort: 3_000,
        linkPort: 3_001,
      });
      const text = JSON.stringify(report);
      expect(report.version).toBe(name);
      expect(report.serverUrls?.[0]).toMatch(/^ws:\/\/.+:3001\/minecraft$/);
      expect(report.serverTools).toEqual(tools);
      expect(text).not.toContain(tokenOfServers);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 16: Message forwarding audit logging
it("Property 16: the log of every forwarded message has its type, source and destination", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(JSON.parse(line)) });
  const bridge = await startServerBridge(everything, log);
  const mod = await bridge.link({
    name: "survival",
    hello,
    answer: () => ({ success: true, data: { success: true } }),
  });
  const { call } = await connect(bridge);
  await fc.assert(
    fc.asyncProperty(commandCall, gameEvent, async ({ name, args }, event) => {
      const { length } = lines;
      await call(name, args);
      await happen(mod, event);
      const forwarded = lines
        .slice(length)
        .filter(({ msg }) => msg === "forwarded")
        .map(({ type, what, source, to }) => ({ type, what, source, to }));
      expect(forwarded).toEqual([
        { type: "command", what: name, source: "mcp", to: "server survival" },
        { type: "response", what: name, source: "server survival", to: "mcp" },
        { type: "event", what: event.eventType, source: "server survival", to: "mcp" },
      ]);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 17: Event subscription filtering
it("Property 17: a client sees an event if and only if its own filter has the type", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ hello });
  const clients = [await connect(bridge), await connect(bridge), await connect(bridge)];
  const cursors = clients.map(() => 0);
  const filter = fc.subarray([...eventTypes]);
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(filter, filter, filter),
      fc.array(gameEvent, { maxLength: 8 }),
      async (filters, events) => {
        for (const event of events) await happen(mod, event);
        for (const [n, { call }] of clients.entries()) {
          const types = filters[n] ?? [];
          const page = await read(call, { types, cursor: cursors[n] });
          cursors[n] = page.cursor;
          const wanted = events.filter(
            ({ eventType }) => types.length === 0 || types.includes(eventType),
          );
          expect(page.events.map(({ data }) => data)).toEqual(wanted.map(({ data }) => data));
        }
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 18: Authentication enforcement
it("Property 18: a peer without a valid token is refused, server or client", async () => {
  const mcpToken = "a-good-client-token";
  const bridge = await startServerBridge({ mcpTokens: [mcpToken] });
  // Each from an address of its own, as guessing is slowed down for each: this machine has a whole network.
  let host = 1;
  const localAddress = () => `127.0.${Math.trunc(++host / 250)}.${(host % 250) + 2}`;
  const wrong = fc
    .stringMatching(/^[!-~]{1,40}$/)
    .filter((text) => text !== token && text !== mcpToken);
  const login = fc.constantFrom("header" as const, "query" as const, "message" as const);
  await fc.assert(
    fc.asyncProperty(wrong, login, async (badToken, way) => {
      const dialled = bridge.dial({ token: badToken, login: way, localAddress: localAddress() });
      if (way === "message") {
        const mod = await dialled;
        await mod.until(() => mod.closed !== undefined);
        expect(mod.closed?.code).toBe(4_401);
        expect(mod.frames).toMatchObject([{ type: "error", outcome: { code: "AUTH_FAILED" } }]);
      } else await expect(dialled).rejects.toThrow("refused with 401");
      expect(bridge.registry.sessions().next().done).toBe(true);
      const asked = request(bridge.mcpUrl, {
        method: "POST",
        localAddress: localAddress(),
        headers: { Authorization: `Bearer ${badToken}` },
      });
      asked.end("{}");
      const [response] = await once(asked, "response");
      expect(response.statusCode).toBe(401);
      response.destroy();
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 19: Command authorization enforcement
it("Property 19: what a client has no permission for is refused, and never reaches the server", async () => {
  const owners = await Promise.all(
    [
      { tools: [], pattern: "" },
      { tools: toolNames.filter(isQuery), pattern: "^list$" },
      { tools: ["give_item", "get_world_info"] as ToolName[], pattern: "^say .{1,200}$" },
      { tools: ["teleport_player", "send_message"] as ToolName[], pattern: "^say .{1,200}$" },
      { tools: [...toolNames], pattern: "^list$" },
    ].map(async ({ tools, pattern }) => {
      const bridge = await startWithTokens(Object.keys(clientLines).join("\n"), {
        minecraftTokens: [token],
        minecraftTools: tools,
        minecraftCommands: pattern,
      });
      const mod = await FakeMod.dial({ url: `${bridge.linkUrl}/minecraft`, token, hello });
      const clients = await Promise.all(
        Object.entries(clientLines).map(async ([line, rights]) => {
          const { call } = await connect(bridge, line.split(" ")[0]);
          return { call, ...rights };
        }),
      );
      return { tools, pattern, mod, clients };
    }),
  );
  const who = fc
    .constantFrom(...owners)
    .chain((owner) => fc.constantFrom(...owner.clients).map((client) => ({ owner, client })));
  await fc.assert(
    fc.asyncProperty(who, anyCall, async ({ owner, client }, { name, args }) => {
      const { tools, pattern, mod } = owner;
      const before = mod.requests.length;
      const { text } = await client.call(name, args);
      const isCommand = name === "execute_command";
      const fits = pattern.startsWith("^say") && isCommand;
      const isBarred = client.barred.includes(name) || (client.looks && !isQuery(name));
      const isSwitchedOn = isCommand ? fits : tools.includes(name) || client.granted.includes(name);
      expect(mod.requests.length - before).toBe(isSwitchedOn && !isBarred ? 1 : 0);
      if (isBarred) expect(text).toMatch(/The token of this client|the token of this client/);
      else if (isSwitchedOn) expect(text).not.toContain("PERMISSION_DENIED");
      else expect(text).toContain(isCommand ? "INVALID_COMMAND" : "PERMISSION_DENIED");
    }),
    { numRuns: 300 },
  );
});

// Feature: minecraft-mcp-bridge, Property 20: Message schema version inclusion
it("Property 20: every message of the bridge carries the version", async () => {
  const bridge = await startServerBridge(everything);
  const mod = await bridge.link({ hello });
  const { call } = await connect(bridge);
  await fc.assert(
    fc.asyncProperty(anyCall, gameEvent, async ({ name, args }, event) => {
      await call(name, args);
      await happen(mod, event);
    }),
    runs,
  );
  expect(mod.texts.length).toBeGreaterThan(100);
  for (const text of mod.texts) {
    expect(JSON.parse(text)).toMatchObject({ version: DIALECT_VERSION, source: "mcp" });
  }
});

// Feature: minecraft-mcp-bridge, Property 21: Schema validation enforcement
it("Property 21: a message that breaks the schema is answered with SCHEMA_ERROR", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ hello });
  const good = JSON.parse(
    encodeRequest({ source: "minecraft", id: "x" }, { command: "hello", args: {} }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("version", "type", "timestamp", "source", "payload"),
      fc.oneof(fc.constant(undefined), fc.array(fc.integer()), fc.boolean()),
      async (field, value) => {
        const id = `broken-${nextNumber()}`;
        mod.send(JSON.stringify({ ...good, id, [field]: value }));
        await mod.until(() => mod.answerTo(id) !== undefined);
        expect(mod.answerTo(id)).toMatchObject({
          type: "error",
          outcome: { code: "SCHEMA_ERROR" },
        });
        // A good one between: only many bad ones in a row end a link.
        await happen(mod, someJoin);
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 22: Version mismatch handling
it("Property 22: a message of another version is understood as far as it can be, with a warning", async () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const bridge = await startServerBridge({}, log);
  const mod = await bridge.link({ hello });
  const { call } = await connect(bridge);
  const foreign = fc
    .oneof(fc.string({ minLength: 1, maxLength: 60 }), fc.stringMatching(/^[02-9]\.\d\.\d$/))
    .filter((version) => !/^1\.\d+\.\d+/.test(version));
  let cursor = 0;
  await fc.assert(
    fc.asyncProperty(foreign, gameEvent, async (version, event) => {
      const id = `foreign-${nextNumber()}`;
      const plain = JSON.parse(encodeEvent({ source: "minecraft", id }, event));
      mod.send(JSON.stringify({ ...plain, version, news: true }));
      await mod.until(() => mod.answerTo(id) !== undefined);
      const page = await read(call, { cursor });
      cursor = page.cursor;
      expect(page.events).toMatchObject([{ event: event.eventType, data: event.data }]);
    }),
    runs,
  );
  expect(lines.filter((line) => line.includes("another version"))).toHaveLength(1);
});
