import { z } from "zod";
import { count, number } from "../link/bounds.js";
import { luaArray } from "../link/lua.js";

const MAX_LINES = 4_096;
/** A cube of radius 16 has 35937 blocks; each run is a kind and a count. */
const MAX_RUNS = 80_000;
const MAX_EVENTS = 1_000;

/** Suggested by the bridge; stored by a computer that has no secret yet. */
const DescribeSchema = z.object({ secret: z.string().max(128).optional() });

const DescriptionSchema = z.object({
  name: z.string().min(1).max(32),
  run: z.string().min(1).max(64),
  first: count,
  chat: z.boolean().catch(false),
  secret: z.string().min(1).max(128).optional().catch(undefined),
});

const CommandSchema = z.object({ command: z.string() });

const SaidSchema = z.object({
  ok: z.boolean(),
  lines: luaArray(z.string().max(65_536), MAX_LINES, "cut"),
});

const CubeSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  z: z.number().int(),
  radius: z.number().int(),
  world: z.string().optional(),
});

/** A cube as run-length pairs (name index, count): east, then south, then up. */
const BlocksSchema = z.object({
  names: luaArray(z.string().min(1).max(256), MAX_LINES),
  runs: luaArray(count, MAX_RUNS),
});

const EventsFromSchema = z.object({ from: count });

const EventsSchema = z.object({
  events: luaArray(
    z.object({
      seq: count,
      eventType: z.string().max(64),
      timestamp: number,
      data: z.record(z.string(), z.unknown()),
    }),
    MAX_EVENTS,
  ),
  next: count,
});

const NoticeSchema = z.object({ text: z.string() });

export const serverMethods = {
  "server-describe": { params: DescribeSchema, result: DescriptionSchema, heartbeat: true },
  "server-command": { params: CommandSchema, result: SaidSchema },
  "server-blocks": { params: CubeSchema, result: BlocksSchema },
  "server-events": { params: EventsFromSchema, result: EventsSchema, heartbeat: true },
  "server-notice": { params: NoticeSchema, result: z.object({}), heartbeat: true },
} as const;
