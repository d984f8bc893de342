import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DIALECT_VERSION,
  encodeRequest,
  eventTypes,
  toolNames,
} from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { Outbox } from "../src/events/outbox.js";
import { BridgeLink } from "../src/link/link.js";
import { Logger } from "../src/logging.js";
import { chatText } from "./arbitraries.js";
import { FakeBridge } from "./fake-bridge.js";
import { createAgent, startScene } from "./harness.js";

const runs = { numRuns: 100 };

// Feature: minecraft-mcp-bridge, Property 12: Malformed message resilience
it("Property 12: a malformed message is logged, and the next one is served", async () => {
  const { bridge, lines } = await startScene();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.json()), async (text) => {
      const before = lines.length;
      bridge.send(text);
      expect(await bridge.call("get_online_players")).toMatchObject({ ok: true });
      expect(lines.slice(before).join("\n")).toContain("is not valid");
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 13: Connection error recovery
it("Property 13: after any loss the agent logs it and links again", async () => {
  const lines: string[] = [];
  const bridge = await FakeBridge.start();
  const link = new BridgeLink({
    url: bridge.url,
    token: "good-token",
    attempts: 0,
    retry: { firstMs: 1, maxMs: 2 },
    log: new Logger({ write: (line) => lines.push(line), level: "INFO" }),
    outbox: new Outbox({ maxEvents: 10, maxBytes: 10_000 }),
    hello: () => ({ name: "x" }),
    serve: async () => null,
  });
  onTestFinished(async () => {
    await link.stop();
    await bridge.close();
  });
  link.start();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1_000, 1_001, 1_011, 4_409, "cut"), async (how) => {
      await bridge.until(() => bridge.isLinked);
      const { length } = lines;
      const hellos = bridge.hellos.length;
      if (typeof how === "number") bridge.hangUp(how);
      else bridge.drop();
      await bridge.until(() => bridge.hellos.length > hellos);
      expect(lines.slice(length).join("\n")).toMatch(/not linked to the bridge reason=.+ retryMs=/);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 14: Component startup logging
it("Property 14: the log of a start has version, configuration and connections", async () => {
  const { server, bridge } = await startScene();
  const name = fc.stringMatching(/^[\w.-]{1,32}$/);
  await fc.assert(
    fc.asyncProperty(name, fc.subarray(eventTypes), async (serverName, enabled) => {
      writeFileSync(
        join(server.folder, "minecraft-mcp-bridge.toml"),
        `[server]\nname = ${JSON.stringify(serverName)}\n[events]\nenabled = ${JSON.stringify(enabled)}\n`,
      );
      const { agent, lines } = createAgent(server, bridge);
      const hellos = bridge.hellos.length;
      await agent.start();
      await bridge.until(() => bridge.hellos.length > hellos);
      await agent.stop();
      const log = lines.join("\n");
      expect(log).toMatch(/ccbridge-minecraft-agent version="\d+\.\d+\.\d+/);
      expect(log).toContain(`name=${JSON.stringify(serverName)}`);
      expect(log).toContain(`events=${JSON.stringify(enabled)}`);
      expect(log).toContain("RCON connected");
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 15: Command failure logging
it("Property 15: the log of a failed command has its text, the reason and where it failed", async () => {
  const { bridge, lines } = await startScene();
  const text = chatText.filter((words) => words.length < 200);
  await fc.assert(
    fc.asyncProperty(text, async (words) => {
      const before = lines.length;
      const outcome = await bridge.call("execute_command", { command: `forbidden ${words}` });
      const log = lines.slice(before).join("\n");
      expect(log).toContain(JSON.stringify(`forbidden ${words}`).slice(1, -1));
      expect(log).toContain(outcome.ok ? "never" : outcome.message);
      expect(log).toMatch(/stack=".*RequestError.* at /);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 16: Message forwarding audit logging
it("Property 16: the log of every forwarded message has its type, source and destination", async () => {
  const { server, bridge, lines } = await startScene();
  await fc.assert(
    fc.asyncProperty(fc.boolean(), chatText, async (isQuery, text) => {
      const before = lines.length;
      if (isQuery) await bridge.call("get_online_players");
      else {
        const seen = bridge.events.length;
        server.log.chat("Steve", text);
        await bridge.until(() => bridge.events.length > seen);
      }
      expect(lines.slice(before).join("\n")).toMatch(
        isQuery
          ? /forwarded type="query" source="mcp" to="minecraft"/
          : /forwarded type="event" source="minecraft" to="bridge"/,
      );
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 19: Command authorization enforcement
it("Property 19: what the server's own owner switched off is refused, whatever the bridge lets through", async () => {
  const { server, bridge, agent } = await startScene();
  server.world.addPlayer("Steve");
  const path = join(server.folder, "minecraft-mcp-bridge.toml");
  const calls = {
    execute_command: { command: "say hi" },
    send_message: { message: "hi" },
    teleport_player: { player: "Steve", x: 1, y: 2, z: 3 },
    give_item: { player: "Steve", item: "stone", quantity: 1 },
    get_online_players: {},
    get_player_info: { player: "Steve" },
    get_server_info: {},
    get_world_info: { x: 0, y: 0, z: 0, radius: 1 },
  };
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...toolNames]),
      fc.constantFrom(...toolNames),
      async (tools, name) => {
        writeFileSync(path, `[commands]\ntools = ${JSON.stringify(tools)}\n`);
        await agent.reload();
        const before = server.world.commands.length;
        const outcome = await bridge.call(name, calls[name]);
        if (tools.includes(name)) expect(outcome).toMatchObject({ ok: true });
        else {
          expect(outcome).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
          expect(server.world.commands.length).toBe(before);
        }
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 20: Message schema version inclusion
it("Property 20: every message of the agent carries the version", async () => {
  const { server, bridge } = await startScene();
  const tool = fc.constantFrom("get_online_players", "get_server_info", "dance", "give_item");
  await fc.assert(
    fc.asyncProperty(tool, chatText, async (name, text) => {
      const seen = bridge.events.length;
      server.log.chat("Steve", text);
      await bridge.call(name);
      await bridge.until(() => bridge.events.length > seen);
    }),
    runs,
  );
  expect(bridge.texts.length).toBeGreaterThan(200);
  for (const text of bridge.texts) {
    expect(JSON.parse(text)).toMatchObject({ version: DIALECT_VERSION, source: "minecraft" });
  }
});

// Feature: minecraft-mcp-bridge, Property 21: Schema validation enforcement
it("Property 21: a message that breaks the schema is answered with SCHEMA_ERROR", async () => {
  const { bridge } = await startScene();
  const good = JSON.parse(
    encodeRequest({ source: "mcp", id: "x" }, { query: "get_online_players", args: {} }),
  );
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("version", "type", "timestamp", "source", "payload"),
      fc.oneof(fc.constant(undefined), fc.array(fc.integer()), fc.boolean()),
      async (field, value) => {
        const id = `broken-${++count}`;
        bridge.send(JSON.stringify({ ...good, id, [field]: value }));
        await bridge.until(() => bridge.frames.some((frame) => frame.id === id));
        expect(bridge.frames.find((frame) => frame.id === id)).toMatchObject({
          type: "error",
          outcome: { ok: false, code: "SCHEMA_ERROR" },
        });
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 22: Version mismatch handling
it("Property 22: a message of another version is served as far as it can be, with a warning", async () => {
  const { bridge, lines } = await startScene();
  let count = 0;
  const foreign = fc
    .oneof(fc.string({ minLength: 1, maxLength: 60 }), fc.stringMatching(/^[02-9]\.\d\.\d$/))
    .filter((version) => !/^1\.\d+\.\d+/.test(version));
  await fc.assert(
    fc.asyncProperty(foreign, async (version) => {
      const id = `foreign-${++count}`;
      const payload = { query: "get_online_players", args: {}, news: version };
      bridge.send(
        JSON.stringify({ version, type: "query", id, timestamp: 1, source: "mcp", payload }),
      );
      await bridge.until(() => bridge.frames.some((frame) => frame.id === id));
      expect(bridge.frames.find((frame) => frame.id === id)).toMatchObject({
        outcome: { ok: true },
      });
      expect(lines.filter((line) => line.includes("another version"))).toHaveLength(1);
    }),
    runs,
  );
});
