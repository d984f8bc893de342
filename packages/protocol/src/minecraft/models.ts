import { z } from "zod";
import { count, cutText, number } from "../link/bounds.js";
import { dimensionId } from "./arguments.js";
import { MAX_BATCH } from "./constants.js";

const playerName = z.string().min(1).max(64);
/** What a server cannot report is null. Nothing is guessed. */
const unknownNumber = number.nullable().catch(null).default(null);
const unknownText = cutText(256).nullable().catch(null).default(null);
/** Sentences for the reader: what is missing from a result, and what would give it. */
const notes = z.array(cutText(500)).max(20).optional().catch(undefined);

const LocationSchema = z.object({
  world: z.string().min(1).max(256).transform(dimensionId),
  x: number,
  y: number,
  z: number,
});
export type Location = z.infer<typeof LocationSchema>;

const ItemStackSchema = z.object({
  type: z.string().min(1).max(256),
  quantity: number,
  displayName: cutText(256).optional().catch(undefined),
});
export type ItemStack = z.infer<typeof ItemStackSchema>;

const PlayerFields = z.object({
  name: playerName,
  uuid: unknownText,
  health: unknownNumber,
  foodLevel: unknownNumber,
  location: LocationSchema.nullable().catch(null).default(null),
  gameMode: unknownText,
  inventory: z.array(z.unknown()).max(1_000).nullable().catch(null).default(null),
  notes,
});

/** An item that cannot be read is left out, with a note: the others are still worth something. */
export const PlayerInfoSchema = PlayerFields.transform(({ inventory, notes, ...player }) => {
  const items = inventory?.map((item) => ItemStackSchema.safeParse(item));
  const read = items?.flatMap(({ data }) => data ?? []) ?? null;
  const left = (items?.length ?? 0) - (read?.length ?? 0);
  const missing = left === 0 ? [] : [`${left} items could not be read, and are left out.`];
  const all = [...(notes ?? []), ...missing];
  return { ...player, inventory: read, ...(all.length === 0 ? {} : { notes: all }) };
});
export type PlayerInfo = z.infer<typeof PlayerInfoSchema>;

export const ServerInfoSchema = z.object({
  version: unknownText,
  onlinePlayers: unknownNumber,
  maxPlayers: unknownNumber,
  /** Ticks of the day, 0 to 23999; 0 is sunrise. */
  timeOfDay: unknownNumber,
  weather: unknownText,
  /** Ticks a second; 20 is full speed. */
  tps: unknownNumber,
  notes,
});
export type ServerInfo = z.infer<typeof ServerInfoSchema>;

const BlockInfoSchema = z.object({
  type: z.string().min(1).max(256),
  location: LocationSchema,
});
export type BlockInfo = z.infer<typeof BlockInfoSchema>;

const EntityInfoSchema = z.object({
  type: z.string().min(1).max(256),
  location: LocationSchema,
  name: cutText(256).optional().catch(undefined),
});
export type EntityInfo = z.infer<typeof EntityInfoSchema>;

export const WorldInfoSchema = z.object({
  blocks: z.array(BlockInfoSchema).max(40_000),
  entities: z.array(EntityInfoSchema).max(10_000),
  notes,
});
export type WorldInfo = z.infer<typeof WorldInfoSchema>;

/** What a command said. `success: false` in a good response is still a failure. */
export const CommandResultSchema = z.object({
  success: z.boolean(),
  message: z.string().max(65_536).optional(),
  error: z.string().max(4_096).optional(),
});
export type CommandResult = z.infer<typeof CommandResultSchema>;

export const BatchResultSchema = z.object({
  ran: count,
  results: z
    .array(CommandResultSchema.extend({ code: z.string().max(64).optional().catch(undefined) }))
    .max(MAX_BATCH),
});
export type BatchResult = z.infer<typeof BatchResultSchema>;

const uuid = z.string().min(1).max(64).nullable().catch(null).default(null);

export const eventData = {
  player_join: z.object({ player: playerName, uuid }),
  player_quit: z.object({ player: playerName, uuid }),
  player_chat: z.object({ player: playerName, message: cutText(4_096) }),
  player_death: z.object({
    player: playerName,
    cause: cutText(1_024),
    /** Null where the server cannot know it. */
    location: LocationSchema.nullable(),
    killer: playerName.optional().catch(undefined),
  }),
  block_break: z.object({
    player: playerName,
    blockType: z.string().min(1).max(256),
    location: LocationSchema,
  }),
} as const;

export type EventType = keyof typeof eventData;
export type EventData<T extends EventType = EventType> = z.infer<(typeof eventData)[T]>;

export const eventTypes = Object.keys(eventData) as EventType[];

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(eventData, name);
}

export const EventNameSchema = z
  .string()
  .regex(/^[\w.:/-]{1,64}$/, "not an event's name, such as player_join or shop:sold");

const Capability = z.string().min(1).max(64);

/**
 * How a server introduces itself: arguments of the command `hello`, which it sends. Servers that do not
 * know it can do everything, as far as a bridge can tell.
 */
export const HelloSchema = z.object({
  name: z.string().max(64).optional().catch(undefined),
  /** A random id of this run: the numbers of its events begin at 0. */
  instance: z.string().min(1).max(64).optional().catch(undefined),
  agent: z
    .object({ name: cutText(64), version: cutText(64) })
    .optional()
    .catch(undefined),
  game: z
    .object({ version: cutText(64).optional(), software: cutText(64).optional() })
    .optional()
    .catch(undefined),
  route: cutText(128).optional().catch(undefined),
  capabilities: z
    .object({
      tools: z.array(Capability).max(64),
      events: z.array(Capability).max(64),
      /** What is missing or partial, and what would give it, by the name of a tool or event. */
      notes: z.record(Capability, cutText(500)).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  /** Asks the bridge to answer each event once it has it. */
  acknowledge: z.boolean().optional().catch(undefined),
  /** The first event number that no bridge has answered yet: what is missing behind it was lost. */
  nextEvent: count.optional().catch(undefined),
  /** How many events this run has numbered so far: those from `nextEvent` on wait in its queue. */
  eventCount: count.optional().catch(undefined),
});
export type Hello = z.infer<typeof HelloSchema>;

export const HelloResultSchema = z.object({
  version: z.string().max(64),
  name: z.string().max(64).optional().catch(undefined),
  acknowledge: z.boolean().optional().catch(undefined),
  nextEvent: count.optional().catch(undefined),
  features: z.array(z.string().max(64)).max(64).optional().catch(undefined),
  timeoutMs: z.int().min(100).max(3_600_000).optional().catch(undefined),
});
export type HelloResult = z.infer<typeof HelloResultSchema>;

export const CustomToolSchema = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/, "not a tool's name: 1 to 64 letters, digits, _ and -"),
  description: cutText(1_000).optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  readOnly: z.boolean().optional().catch(undefined),
});

/** Arguments of the command `offer_tools`, which a server sends: all of its custom tools. */
export const OfferToolsSchema = z.object({ tools: z.array(z.unknown()).max(256) });

export const CustomResultSchema = z.object({ result: z.unknown() });
