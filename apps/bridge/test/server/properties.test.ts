// The correctness properties of the Minecraft design for the bridge; docs/testing.md has a table of
// all.
import { once } from "node:events";
import { request } from "node:http";
import {
  type AnswerFrame,
  encodeEvent,
  eventTypes,
  isQuery,
  type ToolName,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import { arbitraries, type Component, componentContract, runs } from "@ccbridge/server-contract";
import fc from "fast-check";
import pino from "pino";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { createReport } from "../../src/cli/report.js";
import { defaultConfig } from "../../src/index.js";
import { startWithTokens } from "../calls/helpers.js";
import {
  type AnyEvent,
  anyCall,
  commandCall,
  failure,
  gameEvent,
  messageText,
  playerInfo,
  serverInfo,
  worldInfo,
} from "./arbitraries.js";
import { FakeMod } from "./fake-mod.js";
import { connect, startServerBridge, token } from "./helpers.js";
import { listen, stallMeter } from "./listen.js";
import { type Call, everything, hello, read, sendEvent } from "./property-steps.js";

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

async function startLinkedBridge(): Promise<Component> {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => lines.push(line) });
  const bridge = await startServerBridge(everything, log);
  const { call } = await connect(bridge);
  let problems = 0;
  let lost = (_: string) => {};
  bridge.registry.changes.subscribe((change) => {
    if (change.topic === "problem") problems += 1;
    if (change.topic === "unlinked") lost(change.reason);
  });
  const again = { hello: { ...hello, instance: "run-1" } };
  let mod = await bridge.link(again);
  const earlier: string[] = [];
  const sent = new Map<string, AnyEvent>();
  let cursor = 0;
  const count = (text: string) => lines.filter((line) => line.includes(text)).length;
  return {
    source: "mcp",
    get texts() {
      return [...earlier, ...mod.texts];
    },
    send: (text) => mod.send(text),
    valid(id) {
      const [event] = fc.sample(gameEvent, 1) as [AnyEvent];
      sent.set(id, event);
      return JSON.parse(encodeEvent({ source: "minecraft", id }, event));
    },
    async answerTo(id) {
      await mod.until(() => mod.answerTo(id) !== undefined);
      return mod.answerTo(id) as AnswerFrame;
    },
    async served(id) {
      const page = await read(call, { cursor });
      cursor = page.cursor;
      const { eventType: event, data } = sent.get(id) as AnyEvent;
      expect(page.events).toMatchObject([{ event, data }]);
    },
    async act() {
      await call("get_online_players");
    },
    malformed: () => (count("bad frame") > 0 ? problems : 0),
    warnings: () => count("another version"),
    async lose(how) {
      const reason = new Promise<string>((resolve) => {
        lost = resolve;
      });
      earlier.push(...mod.texts);
      if (how === "cut") mod.drop();
      else mod.hangUp(how);
      const known = await reason;
      // The bridge never connects: the mod does.
      mod = await bridge.link(again);
      return count("server unlinked") > 0 ? known : "";
    },
  };
}

describe("the bridge", () => {
  for (const { name, run } of componentContract) {
    it(name, async () => run(await startLinkedBridge()));
  }
});

// Feature: minecraft-mcp-bridge, Property 1: Event notification completeness
it("Property 1: every event reaches a client with its server, time and all of its fields", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ name: "survival", hello });
  const { call } = await connect(bridge);
  let cursor = 0;
  await fc.assert(
    fc.asyncProperty(gameEvent, async (event) => {
      await sendEvent(mod, event);
      const page = await read(call, { cursor });
      cursor = page.cursor;
      expect(page.events).toMatchObject([
        {
          server: "survival",
          event: event.eventType,
          time: new Date(event.timestamp).toISOString(),
          data: event.data,
        },
      ]);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 2: Command forwarding and execution
it("Property 2: every valid call of an acting tool is forwarded unchanged, and succeeds", async () => {
  const bridge = await startServerBridge(everything);
  const mod = await bridge.link({ hello });
  const { call } = await connect(bridge);
  await fc.assert(
    fc.asyncProperty(commandCall, async ({ name, args }) => {
      const before = mod.requests.length;
      expect((await call(name, args)).isError).toBeUndefined();
      expect(mod.requests.slice(before)).toEqual([{ name, args }]);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 3: Command failure error responses
it("Property 3: every failure of a server reaches the client as an error with its reason", async () => {
  const bridge = await startServerBridge(everything);
  let payload: object = {};
  await bridge.link({ hello, answer: () => payload });
  const { call } = await connect(bridge);
  await fc.assert(
    fc.asyncProperty(anyCall, failure, async ({ name, args }, failed) => {
      payload = failed.payload;
      const { isError, text } = await call(name, args);
      expect(isError).toBe(true);
      expect(text).toContain(failed.message);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 4: Message forwarding latency
it("Property 4: every message is forwarded within 100 ms, both ways, notifications included", async () => {
  const bridge = await startServerBridge();
  const mod = await bridge.link({ name: "survival", hello });
  const { call } = await connect(bridge);
  const client = await listen(bridge.mcpUrl);
  await client.client.subscribeResource({ uri: "minecraft://servers/survival/events" });
  const stalls = stallMeter();
  await fc.assert(
    fc.asyncProperty(
      messageText,
      fc.array(gameEvent, { minLength: 1, maxLength: 8 }),
      async (message, happening) => {
        stalls.take();
        const before = mod.requests.length;
        const asked = performance.now();
        const answered = call("send_message", { message });
        await mod.until(() => mod.requests.length > before);
        expect(performance.now() - asked - stalls.take()).toBeLessThan(100);
        await answered;
        const seen = client.events.length;
        const sent: number[] = [];
        for (const event of happening) {
          sent.push(performance.now());
          await sendEvent(mod, event);
        }
        await client.until(() => client.events.length === seen + happening.length);
        const stalled = stalls.take();
        for (const [n, { data, at }] of client.events.slice(seen).entries()) {
          expect(data).toEqual(happening[n]?.data);
          expect(at - (sent[n] ?? 0) - stalled).toBeLessThan(100);
        }
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 5: Message routing correctness
it("Property 5: calls, answers and events of several servers are never misrouted", async () => {
  const bridge = await startServerBridge(everything);
  const names = ["one", "two", "three"];
  const mods = new Map<string, FakeMod>();
  for (const name of names) {
    const answer = (_: string, { player }: Record<string, unknown>) => ({
      success: true,
      data: { name: `${player}`, uuid: name },
    });
    mods.set(name, await bridge.link({ name, hello, answer }));
  }
  const clients = [await connect(bridge), await connect(bridge)];
  const cursors = new Map(names.map((name) => [name, 0]));
  const step = fc.record({
    server: fc.constantFrom(...names),
    client: fc.constantFrom(...clients),
    player: fc.stringMatching(/^[A-Z]\w{3,15}$/),
    event: gameEvent,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const before = new Map(names.map((name) => [name, mods.get(name)?.requests.length]));
      // Concurrently: responses are matched by id only.
      await Promise.all(
        steps.map(async ({ server, client, player, event }) => {
          const { structuredContent } = await client.call("get_player_info", { server, player });
          expect(structuredContent).toMatchObject({
            server,
            player: { name: player, uuid: server },
          });
          const mod = mods.get(server);
          if (mod !== undefined) await sendEvent(mod, event);
        }),
      );
      for (const name of names) {
        const own = steps.filter(({ server }) => server === name);
        const asked = mods.get(name)?.requests.slice(before.get(name));
        expect(asked?.map(({ args }) => args.player).sort()).toEqual(
          own.map(({ player }) => player).sort(),
        );
        const page = await read(clients[0]?.call as Call, {
          server: name,
          cursor: cursors.get(name),
        });
        cursors.set(name, page.cursor);
        expect(page.events.map(({ event }) => event).sort()).toEqual(
          own.map(({ event }) => event.eventType).sort(),
        );
      }
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 8: Player list query completeness
// Feature: minecraft-mcp-bridge, Property 9: Player info query completeness
// Feature: minecraft-mcp-bridge, Property 10: Server info query completeness
// Feature: minecraft-mcp-bridge, Property 11: World info query completeness
it.each([
  ["Property 8: get_online_players", "get_online_players", {}, "players", arbitraries.playerNames],
  ["Property 9: get_player_info", "get_player_info", { player: "Steve" }, "player", playerInfo],
  ["Property 10: get_server_info", "get_server_info", {}, "info", serverInfo],
  [
    "Property 11: get_world_info",
    "get_world_info",
    { x: 0, y: 64, z: 0, radius: 8 },
    "world",
    worldInfo,
  ],
] as const)("%s gives what the server knows, all of it", async (_, name, args, field, known) => {
  const bridge = await startServerBridge();
  let data: unknown;
  await bridge.link({ hello, answer: () => ({ success: true, data }) });
  const { call } = await connect(bridge);
  await fc.assert(
    fc.asyncProperty(known as fc.Arbitrary<unknown>, async (state) => {
      data = state;
      const { structuredContent } = await call(name, args);
      expect(structuredContent).toEqual({ server: "minecraft", [field]: state });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 14: Component startup logging
it("Property 14: the log of a start has the version, addresses, permissions and links, and no token", () => {
  const secret = fc.stringMatching(/^[a-z0-9]{24}$/);
  const version = fc.stringMatching(/^\d\.\d{1,2}\.\d$/);
  const settings = fc.record({ tools: fc.subarray([...toolNames]), linked: fc.nat(99) });
  fc.assert(
    fc.property(version, secret, settings, (name, tokenOfServers, { tools, linked }) => {
      const report = createReport({
        config: {
          ...defaultConfig(),
          minecraftTokens: [tokenOfServers],
          minecraftTools: tools,
        },
        version: name,
        command: ["ccbridge"],
        ownCommand: "ccbridge",
        mcpPort: 3_000,
        linkPort: 3_001,
        linked,
      });
      const text = JSON.stringify(report);
      expect(report.version).toBe(name);
      expect(report.serverUrls?.[0]).toMatch(/^ws:\/\/.+:3001\/minecraft$/);
      expect(report.serverTools).toEqual(tools);
      expect(report.linked).toBe(linked);
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
      await sendEvent(mod, event);
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
        for (const event of events) await sendEvent(mod, event);
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
  // Each from another loopback address, as guessing is limited per address.
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
      if (isBarred) expect(text).toMatch(new RegExp(texts.theTokenOfThisClientThe));
      else if (isSwitchedOn) expect(text).not.toContain("PERMISSION_DENIED");
      else expect(text).toContain(isCommand ? "INVALID_COMMAND" : "PERMISSION_DENIED");
    }),
    { numRuns: 300 },
  );
});
