import {
  type DocumentedTool,
  documentedTools,
  type EventData,
  type EventType,
} from "@ccbridge/protocol/minecraft";
import { cleanText } from "@ccbridge/registry";
import { arbitraries } from "@ccbridge/server-contract";
import fc from "fast-check";

const { coordinate, dimension, gameMode, height, items, playerName } = arbitraries;

const anyText = fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 });

const playerText = anyText.map(cleanText);

/** A text that may be sent: on one line. */
export const messageText = anyText
  .map((text) => text.replace(/[\p{Cc}\u2028\u2029]/gu, ""))
  // A grapheme may be many code units long, and a cut may split one, so a text is used whole or not
  // at all.
  .filter((text) => text.length <= 200)
  .filter((text) => text !== "");

const location = fc.record({
  world: fc.oneof(dimension, fc.constant("mod:moon")),
  x: coordinate,
  y: height,
  z: coordinate,
});

const uuid = fc.option(fc.uuid(), { nil: null });

export interface AnyEvent {
  eventType: EventType;
  timestamp: number;
  data: EventData;
}

const eventArbitraries: { [T in EventType]: fc.Arbitrary<EventData<T>> } = {
  player_join: fc.record({ player: playerName, uuid }),
  player_quit: fc.record({ player: playerName, uuid }),
  player_chat: fc.record({ player: playerName, message: playerText }),
  player_death: fc.record(
    {
      player: playerName,
      cause: playerText,
      location: fc.option(location, { nil: null }),
      killer: playerName,
    },
    { requiredKeys: ["player", "cause", "location"] },
  ) as fc.Arbitrary<EventData<"player_death">>,
  block_break: fc.record({
    player: playerName,
    blockType: fc.constantFrom("minecraft:stone", "minecraft:oak_log"),
    location,
  }),
};

export const gameEvent: fc.Arbitrary<AnyEvent> = fc
  .constantFrom(...(Object.keys(eventArbitraries) as EventType[]))
  .chain((eventType) =>
    fc.record({
      eventType: fc.constant(eventType),
      timestamp: fc.integer({ min: -30_000, max: 0 }).map((ms) => Date.now() + ms),
      data: eventArbitraries[eventType] as fc.Arbitrary<EventData>,
    }),
  );

export interface AnyCall {
  name: DocumentedTool;
  args: Record<string, unknown>;
}

const argumentsOf: { [T in DocumentedTool]: fc.Arbitrary<Record<string, unknown>> } = {
  execute_command: messageText.map((text) => ({ command: `say ${text}` })),
  send_message: fc.record({ message: messageText, target: playerName }),
  teleport_player: fc.record({
    player: playerName,
    x: coordinate,
    y: height,
    z: coordinate,
    world: dimension,
  }),
  give_item: fc.record({
    player: playerName,
    item: fc.constantFrom("minecraft:diamond", "stone"),
    quantity: fc.integer({ min: 1, max: 6_400 }),
  }),
  get_online_players: fc.constant({}),
  get_player_info: fc.record({ player: playerName }),
  get_server_info: fc.constant({}),
  get_world_info: fc.record({
    x: coordinate,
    y: height,
    z: coordinate,
    radius: fc.integer({ min: 0, max: 16 }),
  }),
};

function callOf(...names: DocumentedTool[]): fc.Arbitrary<AnyCall> {
  return fc
    .constantFrom(...names)
    .chain((name) => argumentsOf[name].map((args) => ({ name, args })));
}

export const commandCall = callOf(
  "execute_command",
  "send_message",
  "teleport_player",
  "give_item",
);

export const anyCall = callOf(...documentedTools);

export const failure = fc
  .record({
    code: fc.constantFrom("PLAYER_NOT_FOUND", "SERVER_ERROR", "TIMEOUT", "INVALID_COMMAND"),
    message: fc.stringMatching(/^[a-z]{5,20}( [a-z]{1,9}){0,3}$/),
    form: fc.constantFrom("text", "object", "error", "inside", "result"),
  })
  .map(({ code, message, form }) => ({ message, payload: failurePayload(form, code, message) }));

function failurePayload(form: string, code: string, message: string): object {
  switch (form) {
    case "text":
      return { success: false, error: message };
    case "object":
      return { success: false, error: { code, message } };
    case "error":
      return { type: "error", code, message };
    case "inside":
      return { type: "error", success: false, error: { code, message } };
    default:
      return { success: true, data: { success: false, error: message } };
  }
}

export const playerInfo = fc.record({
  name: playerName,
  uuid,
  health: fc.integer({ min: 0, max: 20 }),
  foodLevel: fc.integer({ min: 0, max: 20 }),
  location,
  gameMode,
  inventory: items,
});

export const serverInfo = fc.record({
  version: fc.constantFrom("1.16.5", "1.21.11"),
  onlinePlayers: fc.nat(100),
  maxPlayers: fc.nat(100),
  timeOfDay: fc.integer({ min: 0, max: 23_999 }),
  weather: fc.option(fc.constantFrom("clear", "rain", "thunder"), { nil: null }),
  tps: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
});

export const worldInfo = fc.record({
  blocks: fc.array(fc.record({ type: fc.constant("minecraft:stone"), location }), {
    maxLength: 20,
  }),
  entities: fc.array(fc.record({ type: fc.constant("minecraft:cow"), location }), {
    maxLength: 5,
  }),
});
