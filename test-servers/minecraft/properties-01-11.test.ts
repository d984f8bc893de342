// The correctness properties of the plugin, by their numbers in the design of the Minecraft bridge: those that
// speak of the mod, or of every component; docs/testing.md has a table of all. The plugin runs on a pretended game
// here, so that they are a part of the default suite; squid.test.ts has it in a real one.
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import {
  chatText,
  playerName,
  playerNames,
  position,
} from "../../apps/minecraft-agent/test/arbitraries.js";
import { FakeBridge } from "../../apps/minecraft-agent/test/fake-bridge.js";
import { ErrorCode, eventTypes } from "../../packages/protocol/src/minecraft/index.js";
import { deed, deeds, failing, nextUuid, runs, startScene } from "./plugin-scene.js";

// Feature: minecraft-mcp-bridge, Property 1: Event notification completeness
it("Property 1: every event tells the player, the time and what belongs to its kind", async () => {
  const { game, bridge } = await startScene();
  const host = game.join("Host", nextUuid());
  const place = { world: "minecraft:overworld", x: expect.any(Number) };
  const required = {
    player_join: { player: "Guest", uuid: expect.any(String) },
    player_quit: { player: "Guest", uuid: expect.any(String) },
    player_chat: { player: "Host", message: expect.any(String) },
    player_death: { player: "Host", cause: "Host died", killer: "Killer", location: place },
    block_break: { player: "Host", blockType: "minecraft:stone", location: place },
  };
  await bridge.until(() => bridge.events.length === 1);
  await fc.assert(
    fc.asyncProperty(deed, chatText, async (type, text) => {
      const seen = bridge.events.length;
      deeds[type]?.(game, host, text);
      const found = () => bridge.events.slice(seen).find((e) => e.payload.eventType === type);
      await bridge.until(() => found() !== undefined);
      expect(Math.abs(Date.now() - (found()?.payload.timestamp ?? 0))).toBeLessThan(60_000);
      expect(found()?.payload.data).toMatchObject(required[type]);
      if (type === "player_chat") expect(found()?.payload.data).toMatchObject({ message: text });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 2: Command forwarding and execution
it("Property 2: every valid command reaches the game and succeeds", async () => {
  const { game, bridge } = await startScene();
  const steve = game.join("Steve", nextUuid());
  const words = chatText.filter((text) => text.length <= 200);
  const quantity = fc.integer({ min: 1, max: 64 });
  await fc.assert(
    fc.asyncProperty(words, position, quantity, async (text, [x, y, z], n) => {
      const good = expect.objectContaining({ ok: true });
      expect(await bridge.call("execute_command", { command: `/say ${text}` })).toEqual(good);
      expect(game.ran.at(-1)).toBe(`say ${text}`);
      expect(await bridge.call("send_message", { message: text, target: "steve" })).toEqual(good);
      expect(steve.heard.at(-1)).toBe(text);
      expect(await bridge.call("teleport_player", { player: "Steve", x, y, z })).toEqual(good);
      expect(steve.position).toEqual({ x, y, z });
      const gift = { player: "Steve", item: "minecraft:diamond", quantity: n };
      expect(await bridge.call("give_item", gift)).toEqual(good);
      expect(steve.inventory.slots[36]).toEqual({ name: "diamond", count: n });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 3: Command failure error responses
it("Property 3: every command that fails is answered with a code and a reason", async () => {
  const { game, bridge } = await startScene();
  game.join(":host:", nextUuid());
  await fc.assert(
    fc.asyncProperty(failing, async ([name, args]) => {
      const outcome = await bridge.call(name, args);
      expect(outcome.ok).toBe(false);
      if (outcome.ok) return;
      expect(Object.values(ErrorCode)).toContain(outcome.code);
      expect(outcome.message.length).toBeGreaterThan(5);
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 6: Event filtering by configuration
it("Property 6: an event that is not enabled is not sent", async () => {
  const bridge = await FakeBridge.start();
  onTestFinished(() => bridge.close());
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...eventTypes]),
      fc.array(deed, { maxLength: 5 }),
      async (enabled, happening) => {
        const { game, stop } = await startScene({ events: enabled }, bridge);
        const seen = bridge.events.length;
        const host = game.join("Host", nextUuid());
        for (const type of happening) deeds[type]?.(game, host, "hello");
        // Answers come behind the events that were sent before them.
        await bridge.call("get_online_players");
        const sent = bridge.events.slice(seen).map(({ payload }) => payload.eventType);
        for (const type of sent) expect(enabled).toContain(type);
        for (const type of happening) {
          if (enabled.includes(type)) expect(sent).toContain(type);
        }
        stop();
        await bridge.until(() => !bridge.isLinked);
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 7: Command whitelist enforcement
it("Property 7: a command that no pattern fits is refused, and does not reach the game", async () => {
  const { game, bridge } = await startScene({ patterns: ["say .{1,200}"] });
  const tail = fc.string({ unit: "binary", maxLength: 40 });
  const command = fc.oneof(
    tail,
    tail.map((rest) => `op ${rest}`),
    tail.map((rest) => `execute as @a run say ${rest}`),
    tail.map((rest) => `//say ${rest}`),
    fc
      .tuple(fc.constantFrom("\n", "\r", "\u2028", "\u0000", "\u0085"), tail)
      .map(([c, rest]) => `say hi${c}op ${rest}`),
    fc.constant(`say ${"x".repeat(300)}`),
  );
  await fc.assert(
    fc.asyncProperty(command, async (text) => {
      const isGood = /^\/?say [^\p{Cc}\u2028\u2029]{1,200}$/u.test(text);
      const { length } = game.ran;
      const outcome = await bridge.call("execute_command", { command: text });
      if (isGood) return;
      expect(outcome).toMatchObject({ ok: false, code: "INVALID_COMMAND" });
      expect(game.ran.length).toBe(length);
    }),
    { numRuns: 300 },
  );
});

// Feature: minecraft-mcp-bridge, Property 8: Player list query completeness
it("Property 8: get_online_players gives exactly those who are online", async () => {
  const { game, bridge } = await startScene();
  await fc.assert(
    fc.asyncProperty(playerNames, async (names) => {
      for (const player of [...game.players]) game.quit(player);
      for (const name of names) game.join(name, nextUuid());
      expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: names });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 9: Player info query completeness
it("Property 9: get_player_info gives health, place, inventory and game mode of any player", async () => {
  const { game, bridge } = await startScene();
  const state = fc.record({
    health: fc.integer({ min: 0, max: 20 }),
    food: fc.integer({ min: 0, max: 20 }),
    gameMode: fc.integer({ min: 0, max: 3 }),
    position: position.map(([x, y, z]) => ({ x, y, z })),
  });
  const slot = fc.option(fc.record({ name: fc.constant("stone"), count: fc.integer({ min: 1 }) }));
  const modes = ["survival", "creative", "adventure", "spectator"];
  await fc.assert(
    fc.asyncProperty(playerName, state, fc.array(slot), async (name, now, slots) => {
      for (const player of [...game.players]) game.quit(player);
      const uuid = nextUuid();
      const player = Object.assign(game.join(name, uuid), now);
      player.inventory.slots = slots;
      expect(await bridge.call("get_player_info", { player: name })).toEqual({
        ok: true,
        data: {
          name,
          uuid,
          health: now.health,
          foodLevel: now.food,
          location: { world: "minecraft:overworld", ...now.position },
          gameMode: modes[now.gameMode],
          inventory: slots
            .filter((stack) => stack !== null)
            .map(({ count: quantity }) => ({ type: "minecraft:stone", quantity })),
        },
      });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 10: Server info query completeness
it("Property 10: get_server_info gives version, time, weather and number of players", async () => {
  const { game, bridge } = await startScene();
  await fc.assert(
    fc.asyncProperty(playerNames, fc.nat(), fc.boolean(), async (names, time, isBig) => {
      for (const player of [...game.players]) game.quit(player);
      for (const name of names) game.join(name, nextUuid());
      game.time = isBig ? BigInt(time) : time;
      expect(await bridge.call("get_server_info")).toEqual({
        ok: true,
        data: {
          version: "1.16.5",
          onlinePlayers: names.length,
          maxPlayers: 20,
          timeOfDay: time % 24_000,
          // Unknown here, and said so.
          weather: null,
          tps: null,
        },
      });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 11: World info query completeness
it("Property 11: get_world_info gives blocks and entities within the radius, and only those", async () => {
  const { game, bridge } = await startScene();
  const near = fc.integer({ min: -6, max: 6 });
  const offset = fc.record({ x: near, y: near, z: near });
  const centre = fc.record({ x: fc.integer({ max: 1_000, min: -1_000 }), y: near, z: near });
  const distinct = { selector: JSON.stringify, maxLength: 6 };
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(offset, distinct),
      fc.uniqueArray(offset, distinct),
      centre,
      fc.integer({ min: 0, max: 4 }),
      async (blocks, entities, { x, y, z }, radius) => {
        const at = (o: (typeof blocks)[number]) => ({ x: x + o.x, y: y + o.y, z: z + o.z });
        game.blocks.clear();
        for (const o of blocks) game.put(at(o), "stone");
        game.entities = Object.fromEntries(
          entities.map((o, n) => [n, { name: "cow", position: at(o) }]),
        );
        const inside = (list: typeof blocks, type: string) =>
          list
            .filter((o) => Math.hypot(o.x, o.y, o.z) <= radius)
            .map((o) => ({ type, location: { world: "minecraft:overworld", ...at(o) } }));
        const outcome = await bridge.call("get_world_info", { x, y, z, radius });
        const data = (outcome.ok ? outcome.data : {}) as Record<string, unknown[]>;
        const sorted = (list: unknown[] = []) => list.map((one) => JSON.stringify(one)).sort();
        expect(sorted(data.blocks)).toEqual(sorted(inside(blocks, "minecraft:stone")));
        expect(sorted(data.entities)).toEqual(sorted(inside(entities, "minecraft:cow")));
      },
    ),
    runs,
  );
});
