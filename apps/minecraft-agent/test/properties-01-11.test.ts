// Numbered as in the design of the Minecraft bridge; docs/testing.md lists all properties.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ErrorCode, suggestedPatterns } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  chatText,
  coordinate,
  dimension,
  loggedEvents,
  perform,
  playerName,
  playerNames,
  playerState,
  position,
} from "./arbitraries.js";
import { startScene } from "./harness.js";

const runs = { numRuns: 100 };

// Feature: minecraft-mcp-bridge, Property 1: Event notification completeness
it("Property 1: every event has the player, the time and the data of its kind", async () => {
  const { server, bridge } = await startScene({ prepare: ({ world }) => world.addPlayer("Host") });
  const required: Record<string, string[]> = {
    player_join: ["player", "uuid"],
    player_quit: ["player", "uuid"],
    player_chat: ["player", "message"],
    player_death: ["player", "cause", "location"],
  };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...loggedEvents), chatText, async (type, text) => {
      const seen = bridge.events.length;
      perform(server, type, text);
      const ofType = () => bridge.events.slice(seen).find((e) => e.payload.eventType === type);
      await bridge.until(() => ofType() !== undefined);
      const { timestamp, data } = ofType()?.payload ?? {};
      expect(Math.abs(Date.now() - (timestamp ?? 0))).toBeLessThan(60_000);
      for (const field of required[type] ?? []) expect(data).toHaveProperty(field);
      if (type === "player_chat") expect(data).toEqual({ player: "Host", message: text });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 2: Command forwarding and execution
it("Property 2: every valid command reaches the game and succeeds", async () => {
  const { server, bridge } = await startScene();
  const steve = server.world.addPlayer("Steve");
  const text = chatText.filter((words) => words.length <= 200);
  await fc.assert(
    fc.asyncProperty(
      text,
      position,
      dimension,
      fc.integer({ min: 1, max: 6_400 }),
      async (words, at, world, n) => {
        expect(await bridge.call("execute_command", { command: `say ${words}` })).toMatchObject({
          ok: true,
        });
        expect(server.world.commands.at(-1)).toBe(`say ${words}`);
        expect(
          await bridge.call("send_message", { message: words, target: "Steve" }),
        ).toMatchObject({ ok: true });
        expect(steve.messages.at(-1)).toBe(words);
        const [x, y, z] = at;
        expect(
          await bridge.call("teleport_player", { player: "Steve", x, y, z, world }),
        ).toMatchObject({ ok: true });
        expect([steve.position, steve.dimension]).toEqual([at, world]);
        expect(
          await bridge.call("give_item", { player: "Steve", item: "stone", quantity: n }),
        ).toMatchObject({ ok: true });
        expect(steve.inventory.pop()).toContain(`count: ${n}`);
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 3: Command failure error responses
it("Property 3: every command that fails is answered with a code and a reason", async () => {
  const { server, bridge } = await startScene();
  server.world.addPlayer("Steve");
  const absent = playerName.filter((name) => name.toLowerCase() !== "steve");
  const failing = fc.oneof(
    absent.map((player) => ["give_item", { player, item: "stone", quantity: 1 }] as const),
    absent.map((player) => ["teleport_player", { player, x: 1, y: 2, z: 3 }] as const),
    absent.map((target) => ["send_message", { message: "hi", target }] as const),
    absent.map((player) => ["get_player_info", { player }] as const),
    fc
      .integer({ max: 0 })
      .map((quantity) => ["give_item", { player: "Steve", item: "stone", quantity }] as const),
    fc.constant(["give_item", { player: "Steve", item: "nonsense", quantity: 1 }] as const),
  );
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
  const { server, bridge, agent } = await startScene({
    prepare: ({ world }) => world.addPlayer("Host"),
  });
  const path = join(server.folder, "minecraft-mcp-bridge.toml");
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(loggedEvents, { minLength: 1 }),
      fc.array(fc.constantFrom(...loggedEvents), { maxLength: 5 }),
      async (enabled, happening) => {
        writeFileSync(path, `[events]\nenabled = ${JSON.stringify(enabled)}\n`);
        await agent.reload();
        const seen = bridge.events.length;
        for (const type of happening) perform(server, type, "hello");
        // An enabled one comes last, as a barrier.
        const last = enabled[0] ?? "player_chat";
        const expected = happening.filter((type) => type === last).length + 1;
        perform(server, last, "last");
        const sent = () => bridge.events.slice(seen).map(({ payload }) => payload.eventType);
        await bridge.until(() => sent().filter((type) => type === last).length >= expected);
        for (const type of sent()) expect(enabled).toContain(type);
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 7: Command whitelist enforcement
it("Property 7: a command that no pattern fits is refused, and does not reach the game", async () => {
  const { server, bridge } = await startScene();
  const allowed = suggestedPatterns.map((pattern) => new RegExp(`^(?:${pattern})$`));
  const tail = fc.string({ unit: "binary", maxLength: 40 });
  const command = fc.oneof(
    tail,
    tail.map((rest) => `op ${rest}`),
    tail.map((rest) => `execute as @a run say ${rest}`),
    tail.map((rest) => `minecraft:say ${rest}`),
    fc
      .tuple(fc.constantFrom("\n", "\r", "\u2028", "\u0000", "\u0085"), tail)
      .map(([c, rest]) => `say hi${c}op ${rest}`),
    tail.map((rest) => `//say ${rest}`),
    fc.constant(`say ${"x".repeat(300)}`),
  );
  await fc.assert(
    fc.asyncProperty(command, async (text) => {
      const plain = text.startsWith("/") ? text.slice(1) : text;
      const isControlled = /[\p{Cc}\u2028\u2029]|\p{Cs}/u.test(text);
      fc.pre(isControlled || text.length > 256 || !allowed.some((pattern) => pattern.test(plain)));
      const before = server.world.commands.length;
      const outcome = await bridge.call("execute_command", { command: text });
      expect(outcome).toMatchObject({ ok: false, code: "INVALID_COMMAND" });
      expect(server.world.commands.length).toBe(before);
    }),
    { numRuns: 300 },
  );
});

// Feature: minecraft-mcp-bridge, Property 8: Player list query completeness
it("Property 8: get_online_players gives exactly those who are online", async () => {
  const { server, bridge } = await startScene();
  await fc.assert(
    fc.asyncProperty(playerNames, async (names) => {
      server.world.players.length = 0;
      for (const name of names) server.world.addPlayer(name);
      expect(await bridge.call("get_online_players")).toEqual({ ok: true, data: names });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 9: Player info query completeness
it("Property 9: get_player_info gives health, place, inventory and game mode of any player", async () => {
  const { server, bridge } = await startScene();
  const modes = ["survival", "creative", "adventure", "spectator"];
  await fc.assert(
    fc.asyncProperty(playerName, playerState, async (name, { state, items }) => {
      server.world.players.length = 0;
      server.world.addPlayer(name, state);
      const [x, y, z] = state.position;
      expect(await bridge.call("get_player_info", { player: name })).toEqual({
        ok: true,
        data: {
          name,
          uuid: state.uuid,
          health: state.health,
          foodLevel: state.foodLevel,
          location: { world: state.dimension, x, y, z },
          gameMode: modes[state.gameType],
          inventory: items,
        },
      });
    }),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 10: Server info query completeness
it("Property 10: get_server_info gives version, time, weather and number of players", async () => {
  const { server, bridge } = await startScene();
  const { world } = server;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(200_000),
      fc.constantFrom("clear" as const, "rain" as const, "thunder" as const),
      playerNames,
      fc.double({ min: 1, max: 500, noNaN: true }),
      async (time, weather, names, tickMs) => {
        Object.assign(world, { dayTime: time, weather, averageTickMs: Number(tickMs.toFixed(2)) });
        world.players.length = 0;
        for (const name of names) world.addPlayer(name);
        const outcome = await bridge.call("get_server_info");
        expect(outcome).toMatchObject({
          ok: true,
          data: {
            version: world.version.name,
            timeOfDay: time % 24_000,
            weather,
            onlinePlayers: names.length,
            maxPlayers: 20,
            tps: expect.closeTo(Math.min(20, 1_000 / world.averageTickMs), 1),
          },
        });
      },
    ),
    runs,
  );
});

// Feature: minecraft-mcp-bridge, Property 11: World info query completeness
it("Property 11: get_world_info gives what is within the radius, and only that", async () => {
  const { server, bridge } = await startScene();
  const near = fc.integer({ min: -20, max: 20 }).map((n) => n / 2);
  const entity = fc.record({
    kind: fc.constantFrom("Cow", "Zombie", "Iron Golem"),
    offset: fc.tuple(near, near, near),
    dimension,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(entity, { maxLength: 8 }),
      fc.tuple(coordinate, fc.integer({ min: 0, max: 100 }), coordinate),
      fc.integer({ min: 0, max: 16 }),
      dimension,
      async (entities, [x, y, z], radius, world) => {
        server.world.entities.length = 0;
        for (const { kind, offset, dimension } of entities) {
          const type = `minecraft:${kind.toLowerCase().replace(" ", "_")}`;
          const at: [number, number, number] = [x + offset[0], y + offset[1], z + offset[2]];
          server.world.entities.push({ type, name: kind, position: at, dimension });
        }
        const inside = server.world.entities.filter(
          ({ position: [px, py, pz], dimension }) =>
            dimension === world && Math.hypot(px - x, py - y, pz - z) <= radius,
        );
        const outcome = await bridge.call("get_world_info", { x, y, z, radius, world });
        expect(outcome).toMatchObject({
          ok: true,
          data: {
            // RCON cannot read blocks.
            blocks: [],
            notes: expect.arrayContaining([expect.stringContaining("Blocks cannot be read")]),
            entities: inside.map(({ type, position: [px, py, pz] }) => ({
              type,
              location: { world, x: px, y: py, z: pz },
            })),
          },
        });
      },
    ),
    runs,
  );
});
