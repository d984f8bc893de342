import { type EventType, eventTypes } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import type { FakeServer } from "./fake-server/index.js";
import type { FakePlayer } from "./fake-server/world.js";

export const playerName = fc.stringMatching(/^[A-Za-z]\w{0,15}$/);

export const chatText = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 80 })
  .map((text) => text.replace(/[\p{Cc}\u2028\u2029]|§./gu, "").trim())
  .filter((text) => text !== "");

export const dimension = fc.constantFrom(
  "minecraft:overworld",
  "minecraft:the_nether",
  "minecraft:the_end",
);

/** Written by the game without an exponent. */
export const coordinate = fc.integer({ min: -30_000_000, max: 30_000_000 }).map((n) => n / 4);

export const position = fc.tuple(coordinate, fc.integer({ min: -64, max: 320 }), coordinate);

const item = fc
  .tuple(fc.constantFrom("minecraft:stone", "minecraft:bread"), fc.integer({ min: 1, max: 64 }))
  .map(([type, quantity]) => ({ type, quantity }));

export const playerState = fc
  .record({
    uuid: fc.uuid(),
    health: fc.integer({ min: 1, max: 40 }).map((halves) => halves / 2),
    foodLevel: fc.integer({ min: 0, max: 20 }),
    position,
    dimension,
    gameType: fc.integer({ min: 0, max: 3 }),
    items: fc.array(item, { maxLength: 5 }),
    isOld: fc.boolean(),
  })
  .map(({ items, isOld, ...state }) => ({
    items,
    state: {
      ...state,
      inventory: items.map(({ type, quantity }, slot) =>
        isOld
          ? `{Slot: ${slot}b, id: "${type}", Count: ${quantity}b}`
          : `{count: ${quantity}, Slot: ${slot}b, id: "${type}"}`,
      ),
    } satisfies Partial<FakePlayer>,
  }));

export const playerNames = fc.uniqueArray(playerName, {
  maxLength: 12,
  selector: (name) => name.toLowerCase(),
});

export const loggedEvents = eventTypes.filter((type) => type !== "block_break");

export function perform(server: FakeServer, type: EventType, text: string): void {
  const { world, log } = server;
  switch (type) {
    case "player_join":
      if (world.player("Guest") !== undefined) server.quit("Guest");
      server.join("Guest");
      return;
    case "player_quit":
      if (world.player("Guest") === undefined) server.join("Guest");
      server.quit("Guest");
      return;
    case "player_chat":
      log.chat("Host", text);
      return;
    default:
      log.say("Host fell from a high place");
  }
}
