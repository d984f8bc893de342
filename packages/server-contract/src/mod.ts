import assert from "node:assert/strict";
import { type EventType, ServerErrorCode, type ServerOutcome } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import {
  chatText,
  gameMode,
  items,
  playerName,
  playerNames,
  position,
  shortText,
} from "./arbitraries.js";
import { type PropertyCase, runs } from "./component.js";
import type { Mod, Place, Thing } from "./mod-subject.js";

interface Offset {
  type: string;
  offset: Place;
  world: string;
}

const absent = playerName.filter((name) => !/^(?:host|guest)$/i.test(name));

const failing = fc.oneof(
  absent.map((player) => ["give_item", { player, item: "stone", quantity: 1 }] as const),
  absent.map((player) => ["teleport_player", { player, x: 1, y: 2, z: 3 }] as const),
  absent.map((target) => ["send_message", { message: "hi", target }] as const),
  absent.map((player) => ["get_player_info", { player }] as const),
  fc
    .integer({ max: 0 })
    .map((quantity) => ["give_item", { player: "Host", item: "stone", quantity }] as const),
  fc.constant(["give_item", { player: "Host", item: "nonsense", quantity: 1 }] as const),
  fc.constant(["get_world_info", { x: 0, y: 0, z: 0, radius: 99 }] as const),
  fc.constant(["teleport_player", { player: "Host", x: "far" }] as const),
  shortText.map((text) => ["execute_command", { command: `forbidden ${text}` }] as const),
  fc.constantFrom("dance", "toString", "__proto__").map((name) => [name, {}] as const),
);

/** With and without anchors: the seed's own examples have both. Some would take line breaks, which are never allowed. */
const patterns = [
  "^say .*",
  "say [^x]*",
  "say [a-z ]+",
  "^say hi",
  "hi$",
  "^list$",
  "list|op",
  "^tp \\w+ -?\\d+ -?\\d+ -?\\d+$",
  "^give \\w+ \\w+ \\d+$",
  ".*",
];

const tail = fc.string({ unit: "binary", maxLength: 40 });
const anyCommand = fc.oneof(
  tail,
  fc.constantFrom(
    "list",
    "/list",
    "list now",
    "op Steve",
    "hi",
    "say hi",
    "say hi there",
    "xsay hi",
  ),
  fc.constantFrom(
    "tp Steve 1 -2 3",
    "tp Steve 1 2 3 4",
    "give Steve stone 1",
    "give Steve stone 1 op",
  ),
  tail.map((rest) => `op ${rest}`),
  tail.map((rest) => `execute as @a run say ${rest}`),
  tail.map((rest) => `minecraft:say ${rest}`),
  fc
    .tuple(fc.constantFrom("\n", "\r", "\u2028", "\u0000", "\u0085"), tail)
    .map(([c, rest]) => `say hi${c}op ${rest}`),
  tail.map((rest) => `//say ${rest}`),
  // Half a surrogate pair, which JSON can carry.
  fc.constantFrom("\ud83d", "\ude00").map((half) => `say hi${half}`),
  fc.constant(`say ${"x".repeat(300)}`),
);

function dataOf(outcome: ServerOutcome): Record<string, unknown> {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.data as Record<string, unknown>;
}

function failureOf(outcome: ServerOutcome): { code: string; message: string } {
  assert.ok(!outcome.ok, "expected a failure");
  return outcome;
}

export const modContract: readonly PropertyCase<Mod>[] = [
  // Feature: minecraft-mcp-bridge, Property 1: Event notification completeness
  {
    name: "Property 1: every event has the player, the time and the data of its kind",
    run: ({ game, bridge }) =>
      fc.assert(
        fc.asyncProperty(fc.constantFrom(...game.events), chatText, async (type, text) => {
          const seen = bridge.events.length;
          const wanted = await game.happen(type, text);
          const found = () => bridge.events.slice(seen).find((e) => e.payload.eventType === type);
          await bridge.until(() => found() !== undefined);
          const { timestamp = 0, data } = found()?.payload ?? {};
          assert.ok(Math.abs(Date.now() - timestamp) < 60_000);
          assert.deepEqual(data, wanted);
        }),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 2: Command forwarding and execution
  {
    name: "Property 2: every valid command reaches the game and succeeds",
    run: ({ game, bridge }) =>
      fc.assert(
        fc.asyncProperty(
          shortText,
          position,
          fc.constantFrom(...game.worlds),
          fc.integer({ min: 1, max: 6_400 }),
          async (text, place, world, quantity) => {
            dataOf(await bridge.call("execute_command", { command: `/say ${text}` }));
            assert.equal((await game.commands()).at(-1), `say ${text}`);
            dataOf(await bridge.call("send_message", { message: text, target: "Host" }));
            assert.equal((await game.host()).message, text);
            const there = { player: "Host", ...place, world };
            dataOf(await bridge.call("teleport_player", there));
            assert.deepEqual((await game.host()).location, { world, ...place });
            const gift = { player: "Host", item: "stone", quantity };
            dataOf(await bridge.call("give_item", gift));
            assert.equal((await game.host()).quantity, quantity);
          },
        ),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 3: Command failure error responses
  {
    name: "Property 3: every command that fails is answered with a code and a reason",
    run: ({ bridge }) =>
      fc.assert(
        fc.asyncProperty(failing, async ([name, args]) => {
          const { code, message } = failureOf(await bridge.call(name, args));
          assert.ok((Object.values(ServerErrorCode) as string[]).includes(code), code);
          assert.ok(message.length > 5, message);
        }),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 6: Event filtering by configuration
  {
    name: "Property 6: an event that is not enabled is not sent, and one that is enabled is",
    run: ({ game, bridge, enable }) =>
      fc.assert(
        fc.asyncProperty(
          fc.subarray([...game.events], { minLength: 1 }),
          fc.array(fc.constantFrom(...game.events), { maxLength: 5 }),
          async (enabled, happening) => {
            await enable(enabled);
            const seen = bridge.events.length;
            const sent = () => bridge.events.slice(seen).map(({ payload }) => payload.eventType);
            // One that is enabled comes last, so that all the others have been dealt with.
            const all = [...happening, enabled[0] as EventType];
            for (const type of all) await game.happen(type, "hello");
            const wanted = all.filter((type) => enabled.includes(type));
            const times = (list: string[], type: string) =>
              list.filter((each) => each === type).length;
            await bridge.until(() =>
              wanted.every((type) => times(sent(), type) >= times(wanted, type)),
            );
            for (const type of sent()) assert.ok(enabled.includes(type as EventType), type);
          },
        ),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 7: Command whitelist enforcement
  {
    name: "Property 7: a command runs if a pattern fits all of it, and is refused otherwise",
    run: ({ game, bridge, allow }) =>
      fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.constantFrom(...patterns), { maxLength: 3 }),
          fc.array(anyCommand, { minLength: 1, maxLength: 8 }),
          async (allowed, commands) => {
            await allow(allowed);
            // Anchored by hand: a pattern must fit the whole command, however it is written.
            const fits = allowed.map((pattern) => new RegExp(`^(?:${pattern})$`));
            for (const command of commands) {
              const plain = command.replace(/^\//, "");
              const isSafe =
                plain !== "" &&
                !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(command) &&
                command.length <= 256;
              const isAllowed = isSafe && fits.some((pattern) => pattern.test(plain));
              const before = (await game.commands()).length;
              const outcome = await bridge.call("execute_command", { command });
              const ran = (await game.commands()).slice(before);
              // The game may refuse what the patterns allow.
              assert.deepEqual(ran, isAllowed ? [plain] : []);
              if (!isAllowed) assert.equal(failureOf(outcome).code, "INVALID_COMMAND");
            }
          },
        ),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 8: Player list query completeness
  {
    name: "Property 8: get_online_players gives exactly those who are online",
    run: ({ game, bridge }) =>
      fc.assert(
        fc.asyncProperty(playerNames, async (names) => {
          await game.online(names);
          const listed = await bridge.call("get_online_players");
          assert.deepEqual((dataOf(listed) as unknown as string[]).sort(), [...names].sort());
        }),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 9: Player info query completeness
  {
    name: "Property 9: get_player_info gives health, place, inventory and game mode of any player",
    run: ({ game, bridge }) => {
      const state = fc.record({
        health: fc.integer({ min: 1, max: 40 }).map((halves) => halves / 2),
        foodLevel: fc.integer({ min: 0, max: 20 }),
        position,
        world: fc.constantFrom(...game.worlds),
        gameMode,
        inventory: items,
      });
      return fc.assert(
        fc.asyncProperty(playerName, state, async (name, { position, world, ...rest }) => {
          const uuid = await game.setPlayer(name, { position, world, ...rest });
          assert.deepEqual(dataOf(await bridge.call("get_player_info", { player: name })), {
            name,
            uuid,
            location: { world, ...position },
            ...rest,
          });
        }),
        runs,
      );
    },
  },
  // Feature: minecraft-mcp-bridge, Property 10: Server info query completeness
  {
    name: "Property 10: get_server_info gives version, time, weather and number of players",
    run: ({ game, bridge }) => {
      const state = fc.record({
        time: fc.nat(200_000),
        weather: fc.constantFrom("clear", "rain", "thunder"),
        tickMs: fc.double({ min: 1, max: 500, noNaN: true }).map((ms) => Number(ms.toFixed(2))),
      });
      return fc.assert(
        fc.asyncProperty(state, playerNames, async (now, names) => {
          await game.online(names);
          const { tps: wantedTps, ...known } = await game.setServer(now);
          const data = dataOf(await bridge.call("get_server_info"));
          const { version, timeOfDay, weather, onlinePlayers, maxPlayers, tps } = data;
          assert.deepEqual(
            { version, timeOfDay, weather, onlinePlayers, maxPlayers },
            {
              ...known,
              timeOfDay: now.time % 24_000,
              onlinePlayers: names.length,
              maxPlayers: 20,
            },
          );
          if (wantedTps === null) assert.equal(tps, null);
          else assert.ok(Math.abs((tps as number) - wantedTps) < 0.05, `${tps}, not ${wantedTps}`);
        }),
        runs,
      );
    },
  },
  // Feature: minecraft-mcp-bridge, Property 11: World info query completeness
  {
    name: "Property 11: get_world_info gives what is within the radius, and only that",
    run: ({ game, bridge }) => {
      const near = fc.integer({ min: -8, max: 8 });
      const offset = fc.record({ x: near, y: near, z: near });
      const world = fc.constantFrom(...game.worlds);
      const entity = fc.record({
        type: fc.constantFrom("minecraft:cow", "minecraft:zombie", "minecraft:iron_golem"),
        offset: offset.map(({ x, y, z }) => ({ x: x / 2, y: y / 2, z: z / 2 })),
        world,
      });
      const block = fc.record({ type: fc.constant("minecraft:stone"), offset, world });
      const centre = fc.record({
        x: fc.integer({ min: -1_000, max: 1_000 }),
        y: fc.integer({ min: 0, max: 100 }),
        z: fc.integer({ min: -1_000, max: 1_000 }),
      });
      const radius = fc.integer({ min: 0, max: 5 });
      const blocks = fc.uniqueArray(block, { selector: JSON.stringify, maxLength: 6 });
      const sorted = (list: unknown) =>
        (list as unknown[]).map((one) => JSON.stringify(one)).sort();
      return fc.assert(
        fc.asyncProperty(
          blocks,
          fc.array(entity, { maxLength: 8 }),
          centre,
          radius,
          world,
          async (blocks, entities, { x, y, z }, radius, here) => {
            const place = ({ type, offset, world }: Offset): Thing => ({
              type,
              location: { world, x: x + offset.x, y: y + offset.y, z: z + offset.z },
            });
            await game.surround({ blocks: blocks.map(place), entities: entities.map(place) });
            const inside = (list: Offset[]) =>
              list
                .filter(
                  ({ offset, world }) =>
                    world === here && Math.hypot(offset.x, offset.y, offset.z) <= radius,
                )
                .map(place);
            const call = bridge.call("get_world_info", { x, y, z, radius, world: here });
            const data = dataOf(await call);
            assert.deepEqual(sorted(data.entities), sorted(inside(entities)));
            assert.deepEqual(sorted(data.blocks), sorted(game.readsBlocks ? inside(blocks) : []));
            if (!game.readsBlocks) assert.match(String(data.notes), /Blocks cannot be read/);
          },
        ),
        runs,
      );
    },
  },
  // Feature: minecraft-mcp-bridge, Property 14: Component startup logging
  {
    name: "Property 14: the log of a start has version, configuration and connection, and no token",
    run: ({ game, token, logOfStart }) =>
      fc.assert(
        fc.asyncProperty(
          fc.stringMatching(/^[\w.-]{1,32}$/),
          fc.subarray([...game.events]),
          fc.boolean(),
          async (name, events, isReachable) => {
            const log = (await logOfStart({ name, events, isReachable })).replaceAll('"', "");
            assert.match(log, /\d+\.\d+\.\d+/);
            assert.match(log, new RegExp(`(?:server |name=)${name.replaceAll(".", "\\.")}`));
            assert.match(log, new RegExp(`events(?: |=\\[)${events.join(",")}[\\], ]`));
            const status = isReachable
              ? / linked to the bridge url=ws/
              : /not linked to the bridge reason=\w/;
            assert.match(log, status);
            assert.equal(/ linked to the bridge url=/.test(log), isReachable);
            assert.ok(!log.includes(token));
          },
        ),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 15: Command failure logging
  {
    name: "Property 15: the log of a failed command has its text, the reason and where it failed",
    run: ({ bridge, lines, logged }) =>
      fc.assert(
        fc.asyncProperty(failing, async ([name, args]) => {
          const before = lines.length;
          const { message } = failureOf(await bridge.call(name, args));
          await logged?.();
          const log = lines.slice(before).join("\n");
          const texts = Object.values(args).filter((value) => typeof value === "string");
          for (const text of [name, message, ...texts]) {
            assert.ok(log.includes(JSON.stringify(text).slice(1, -1)), log);
          }
          assert.match(log, /(?: |\\u0009)at .*\.(?:mjs|ts|java)/);
        }),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 16: Message forwarding audit logging
  {
    name: "Property 16: the log of every forwarded message has its type, source and destination",
    run: ({ game, bridge, lines, logged }) =>
      fc.assert(
        fc.asyncProperty(fc.constantFrom(...game.events), chatText, async (type, text) => {
          const before = lines.length;
          const seen = bridge.events.length;
          await game.happen(type, text);
          await bridge.until(() => bridge.events.length > seen);
          dataOf(await bridge.call("get_online_players"));
          await logged?.();
          const log = lines.slice(before).join("\n");
          assert.match(log, /forwarded.*\bevent\b.*\bminecraft\b.*\b(?:mcp|bridge)\b/);
          assert.match(log, /forwarded.*\bquery\b.*\bmcp\b.*\bminecraft\b/);
        }),
        runs,
      ),
  },
];
