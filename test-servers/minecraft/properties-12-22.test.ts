// The correctness properties of the plugin, by their numbers in the design of the Minecraft bridge: those that
// speak of the mod, or of every component; docs/testing.md has a table of all. The plugin runs on a pretended game
// here, so that they are a part of the default suite; squid.test.ts has it in a real one.
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { chatText } from "../../apps/minecraft-agent/test/arbitraries.js";
import { FakeBridge } from "../../apps/minecraft-agent/test/fake-bridge.js";
import { encodeRequest, eventTypes } from "../../packages/protocol/src/minecraft/index.js";
import {
  ask,
  deed,
  deeds,
  failing,
  nextNumber,
  nextUuid,
  runs,
  startScene,
  token,
} from "./plugin-scene.js";

// Feature: minecraft-mcp-bridge, Property 12: Malformed message resilience
it("Property 12: a malformed message is logged, and the next one is served", async () => {
  const { bridge, lines } = await startScene();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.json()), async (text) => {
      const before = lines.length;
      bridge.send(text);
      expect(await bridge.call("get_online_players")).toMatchObject({ ok: true });
      expect(lines.slice(before).join("\n")).toContain("malformed: ");
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 13: Connection error recovery
it("Property 13: after any loss the plugin logs it and links again", async () => {
  const { bridge, lines } = await startScene();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1_000, 1_001, 1_011, 4_409, "cut"), async (how) => {
      await bridge.until(() => bridge.isLinked);
      const { length } = lines;
      const hellos = bridge.hellos.length;
      if (typeof how === "number") bridge.hangUp(how);
      else bridge.drop();
      await bridge.until(() => bridge.hellos.length > hellos);
      expect(lines.slice(length).join("\n")).toMatch(/not linked \(\d+\), again in \d+ ms/);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 14: Component startup logging
it("Property 14: the log of a start tells version, configuration and connection, and no token", async () => {
  const bridge = await FakeBridge.start();
  onTestFinished(() => bridge.close());
  const name = fc.stringMatching(/^[\w.-]{1,32}$/);
  await fc.assert(
    fc.asyncProperty(name, fc.subarray([...eventTypes]), async (server, events) => {
      const { lines, stop } = await startScene({ name: server, events }, bridge);
      const log = lines.join("\n");
      expect(log).toContain(
        `plugin 1.0.0: server ${server}, events ${events.join(",")}, dials ws:`,
      );
      expect(log).toContain(`linked as ${server}`);
      expect(log).not.toContain(token);
      stop();
      await bridge.until(() => !bridge.isLinked);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 15: Command failure logging
it("Property 15: the log of a failed command tells its text, the reason and where it failed", async () => {
  const scene = await startScene();
  scene.game.join(":host:", nextUuid());
  await fc.assert(
    fc.asyncProperty(failing, async ([name, args]) => {
      const { outcome, log } = await ask(scene, name, args);
      const reason = outcome.ok ? "never" : outcome.message;
      expect(log).toContain(`failed ${name} ${JSON.stringify(args)}: ${reason}`);
      expect(log).toMatch(/ at .*\.(?:mjs|ts)/);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 16: Message forwarding audit logging
it("Property 16: the log of every forwarded message tells its type, source and destination", async () => {
  const scene = await startScene();
  const host = scene.game.join("Host", nextUuid());
  await fc.assert(
    fc.asyncProperty(deed, chatText, async (type, text) => {
      const { length } = scene.lines;
      deeds[type]?.(scene.game, host, text);
      expect(scene.lines.slice(length)).toContain(`forwarded event ${type} minecraft -> mcp`);
      const { log } = await ask(scene, "get_online_players", {});
      expect(log).toContain("forwarded query get_online_players mcp -> minecraft");
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 20: Message schema version inclusion
it("Property 20: every message of the plugin carries the version", async () => {
  const { game, bridge } = await startScene();
  const host = game.join("Host", nextUuid());
  await fc.assert(
    fc.asyncProperty(deed, failing, async (type, [name, args]) => {
      deeds[type]?.(game, host, "hi");
      await bridge.call(name, args);
    }),
    runs,
  );
  expect(bridge.texts.length).toBeGreaterThan(200);
  for (const text of bridge.texts) {
    expect(JSON.parse(text)).toMatchObject({ version: "1.0.0", source: "minecraft" });
  }
});

// Feature: minecraft-mcp-bridge, Property 21: Schema validation enforcement
it("Property 21: a message that breaks the schema is answered with SCHEMA_ERROR", async () => {
  const { bridge } = await startScene();
  const good = JSON.parse(
    encodeRequest({ source: "mcp", id: "x" }, { query: "get_online_players", args: {} }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("version", "type", "timestamp", "source", "payload"),
      fc.oneof(fc.constant(undefined), fc.array(fc.integer()), fc.boolean()),
      async (field, value) => {
        const id = `broken-${nextNumber()}`;
        bridge.send(JSON.stringify({ ...good, id, [field]: value }));
        const found = () => bridge.frames.find((frame) => frame.id === id);
        await bridge.until(() => found() !== undefined);
        expect(found()).toMatchObject({ type: "error", outcome: { code: "SCHEMA_ERROR" } });
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 22: Version mismatch handling
it("Property 22: a message of another version is served as far as it can be, with a warning", async () => {
  const { bridge, lines } = await startScene();
  const foreign = fc
    .oneof(fc.string({ maxLength: 60 }), fc.stringMatching(/^[02-9]\.\d\.\d$/))
    .filter((version) => !version.startsWith("1."));
  await fc.assert(
    fc.asyncProperty(foreign, async (version) => {
      const id = `foreign-${nextNumber()}`;
      const payload = { query: "get_online_players", args: {}, news: version };
      const head = { version, type: "query", id, timestamp: 1, source: "mcp" };
      bridge.send(JSON.stringify({ ...head, payload }));
      const found = () => bridge.frames.find((frame) => frame.id === id);
      await bridge.until(() => found() !== undefined);
      expect(found()).toMatchObject({ outcome: { ok: true } });
      expect(lines.filter((line) => line.startsWith("warning: "))).toHaveLength(1);
    }),
    runs,
  );
});
