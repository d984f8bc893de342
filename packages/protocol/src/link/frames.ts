import { z } from "zod";
import {
  count,
  cutString,
  cutText,
  MAX_ACK_IDS,
  MAX_HELLO_JOBS,
  MAX_OFFERED_TOOLS,
  MAX_SCREEN_SIDE,
  number,
} from "./bounds.js";
import { MIN_FRAME_BYTES } from "./constants.js";
import { luaArray } from "./lua.js";
import { CursorSchema, PaletteSchema, ScreenRowSchema, ScreenSchema } from "./screen.js";

/** Text that only describes: cut instead of refused, absent when it is not text. */
function optionalText(max: number) {
  return z
    .string()
    .min(1)
    .transform((text) => cutString(text, max))
    .optional()
    .catch(undefined);
}

const names = luaArray(z.string().max(64), 256, "cut").catch([]);
export const requestId = z.string().min(1).max(128);
/** No bridge makes ids of anything else, and they are shown: a single word, with colons only inside it. */
const plainId = /^(?=.{1,128}$)[\w.-]+(?::[\w.-]+)*$/;
/** The id of a job as an agent names it: left out when no bridge could have made it. */
export const jobId = z.string().regex(plainId).optional().catch(undefined);

export const ComputerKindSchema = z.enum(["computer", "turtle", "pocket", "command"]);
export type ComputerKind = z.infer<typeof ComputerKindSchema>;

/** The first frame of every agent. Version 1 sends the first two fields only. */
export const HelloSchema = z.object({
  type: z.literal("hello"),
  computerId: z.number().int().nonnegative(),
  /** Missing, empty and non-string labels are null. */
  computerLabel: z
    .string()
    .min(1)
    .transform((label) => cutString(label, 128))
    .nullable()
    .catch(null),
  protocol: z.number().int().min(1).default(1),
  agent: z
    .object({ name: z.string().max(64), version: z.string().max(64) })
    .optional()
    .catch(undefined),
  kind: ComputerKindSchema.optional().catch(undefined),
  advanced: z.boolean().optional().catch(undefined),
  /** `_HOST` of the computer: mod and Minecraft version. */
  host: optionalText(256),
  /** A random id that the agent keeps on the computer's disk: computer ids repeat across worlds. */
  instance: z.string().min(1).max(64).optional(),
  /** Changes when the program starts again, or forgets a job otherwise: while it is the same, a job that is missing never arrived. */
  run: optionalText(64),
  world: z.string().min(1).max(64).optional(),
  methods: names.default([]),
  features: names.default([]),
  token: z.string().max(4_096).optional(),
  /** The secret that this computer got when it was paired. */
  secret: z.string().max(256).optional(),
  /** The largest message this agent can take, in bytes. */
  maxFrame: z.number().int().min(MIN_FRAME_BYTES).optional(),
  allow: optionalText(32),
  /** Requests of an earlier link that still run, or whose answer was not delivered. */
  jobs: luaArray(z.unknown(), MAX_HELLO_JOBS, "cut")
    .transform((ids) => ids.filter((id) => typeof id === "string" && plainId.test(id)) as string[])
    .catch([])
    .default([]),
  /** The programs with a screen among them, and those that the computer started at its boot. */
  programs: luaArray(
    z.object({
      id: z.string().regex(plainId),
      command: cutText(256),
      atBoot: z.boolean().default(false),
    }),
    MAX_HELLO_JOBS,
    "cut",
  )
    .catch([])
    .default([]),
});
export type Hello = z.infer<typeof HelloSchema>;

/** The answer to a hello. A version 1 agent gets the type alone. */
export const HelloOkSchema = z.object({
  type: z.literal("hello-ok"),
  protocol: z.number().int().min(1).default(1),
  bridge: z.object({ name: z.string(), version: z.string() }).optional().catch(undefined),
  maxFrame: z.number().int().min(MIN_FRAME_BYTES).optional(),
  /** How often the bridge pings, so that an agent can distinguish a dead link from a quiet one. */
  heartbeatMs: z.number().int().positive().optional(),
  /**
   * Where to go on with each request of `hello.jobs`: the first output piece that the bridge has not
   * got. Its presence says that the bridge acknowledges answers, see {@link AckSchema}.
   */
  jobs: luaArray(z.object({ id: requestId, seq: count }), MAX_HELLO_JOBS).optional(),
});
export type HelloOk = z.infer<typeof HelloOkSchema>;

export const HelloErrorSchema = z.object({
  type: z.literal("hello-error"),
  code: z.string(),
  message: z.string(),
});
export type HelloError = z.infer<typeof HelloErrorSchema>;

/** The owner of the bridge must confirm this computer: it shows the code, and waits on this connection. */
export const PairingSchema = z.object({
  type: z.literal("pairing"),
  code: z.string(),
  expiresMs: z.number().int().positive(),
});
export type Pairing = z.infer<typeof PairingSchema>;

/** The computer is confirmed: it keeps the secret, and says hello again with it. */
export const PairedSchema = z.object({ type: z.literal("paired"), secret: z.string().min(1) });
export type Paired = z.infer<typeof PairedSchema>;

export const RequestSchema = z.object({
  type: z.literal("request"),
  id: requestId,
  method: z.string().min(1),
  params: z.unknown().optional(),
  /** The agent stops the request at this age, even if no bridge is there. */
  timeoutMs: z.number().int().positive().optional().catch(undefined),
  trace: z.string().max(64).optional().catch(undefined),
});
export type Request = z.infer<typeof RequestSchema>;

/** The answer to a request. A failure may carry a result too: the output until then. */
export const ResponseSchema = z.discriminatedUnion("ok", [
  z.object({
    type: z.literal("response"),
    id: requestId,
    ok: z.literal(true),
    result: z.unknown().optional(),
    /** In the answer to a ping: for how long no time has passed in the computer's world. */
    pausedMs: z.number().positive().max(1e12).optional().catch(undefined),
  }),
  z.object({
    type: z.literal("response"),
    id: requestId,
    ok: z.literal(false),
    error: cutText(16_384).catch("unknown error"),
    reason: z.literal("timed-out").optional().catch(undefined),
    result: z.unknown().optional(),
  }),
]);
export type Response = z.infer<typeof ResponseSchema>;

/** A piece of a running request's output. `seq` counts from 0 for each request, without gaps. */
export const OutputSchema = z.object({
  type: z.literal("output"),
  id: requestId,
  seq: count,
  text: z.string(),
  encoding: z.literal("base64").optional(),
});
export type Output = z.infer<typeof OutputSchema>;

/** Stops a request in the game; the agent then answers it with `ok: false, error: "cancelled"`. */
export const CancelSchema = z.object({
  type: z.literal("cancel"),
  id: requestId,
  reason: z.string().optional(),
});
export type Cancel = z.infer<typeof CancelSchema>;

/**
 * Answers have arrived: the agent may forget them. Sent to agents with the `jobs` feature; several ids in one
 * frame only to those with `acks`.
 */
export const AckSchema = z.union([
  z.object({ type: z.literal("ack"), id: requestId }),
  z.object({ type: z.literal("ack"), ids: luaArray(requestId, MAX_ACK_IDS) }),
]);
export type Ack = z.infer<typeof AckSchema>;

/** Something that happened in the game and that `watch-events` asked for. */
export const EventSchema = z.object({
  type: z.literal("event"),
  seq: count,
  /** Milliseconds since 1970 by the computer's clock; an invalid time is left out. */
  time: z.number().min(0).max(8.64e15).optional().catch(undefined),
  name: z.string().min(1).max(256),
  args: luaArray(z.unknown(), 64).default([]),
  /** Events that were wanted too but not sent since the last one: there were too many. */
  dropped: count.optional().catch(undefined),
  /** True when the arguments were cut to fit the agent's bounds. */
  truncated: z.boolean().optional().catch(undefined),
});
export type Event = z.infer<typeof EventSchema>;

/** The progress of a running request, as its code reports it; sent a few times a second at most. */
export const ProgressSchema = z.object({
  type: z.literal("progress"),
  id: requestId,
  progress: number,
  total: number.optional().catch(undefined),
  message: optionalText(256),
});
export type Progress = z.infer<typeof ProgressSchema>;

/** A tool that the game side offers, called with method `call-tool`. */
export const AgentToolSchema = z.object({
  name: z.string().min(1).max(64),
  description: cutText(4_096).optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
});
export type AgentTool = z.infer<typeof AgentToolSchema>;

export const ToolsSchema = z.object({
  type: z.literal("tools"),
  tools: luaArray(AgentToolSchema, MAX_OFFERED_TOOLS),
  /** Files in the folder of tools that offer none, and why. */
  broken: luaArray(z.object({ file: cutText(256), problem: cutText(1_024) }), 64, "cut")
    .optional()
    .catch(undefined),
});
export type Tools = z.infer<typeof ToolsSchema>;

/**
 * What changed on a screen that `watch-screen` asked for: the whole screen first and after a change of
 * size, then rows. `ended` is the last frame of a program.
 */
export const ScreenFrameSchema = z.object({
  type: z.literal("screen"),
  job: z.string().regex(plainId).optional(),
  screen: ScreenSchema.optional(),
  rows: luaArray(ScreenRowSchema, MAX_SCREEN_SIDE).optional(),
  /** Comes with `rows`: where the cursor is now. */
  cursor: CursorSchema.optional(),
  palette: PaletteSchema.optional(),
  ended: z.boolean().optional().catch(undefined),
});
export type ScreenFrame = z.infer<typeof ScreenFrameSchema>;

export const ChunkSchema = z.object({
  type: z.literal("chunk"),
  transfer: z.union([requestId, z.number().transform(String)]),
  index: count,
  count: z.number().int().min(1).max(65_536),
  data: z.string(),
});
export type Chunk = z.infer<typeof ChunkSchema>;

export const agentFrames = {
  hello: HelloSchema,
  response: ResponseSchema,
  output: OutputSchema,
  progress: ProgressSchema,
  event: EventSchema,
  tools: ToolsSchema,
  screen: ScreenFrameSchema,
  chunk: ChunkSchema,
} as const;

export const bridgeFrames = {
  "hello-ok": HelloOkSchema,
  "hello-error": HelloErrorSchema,
  pairing: PairingSchema,
  paired: PairedSchema,
  request: RequestSchema,
  cancel: CancelSchema,
  ack: AckSchema,
  chunk: ChunkSchema,
} as const;

export type AgentFrame = Hello | Response | Output | Progress | Event | Tools | ScreenFrame | Chunk;
export type BridgeFrame = HelloOk | HelloError | Pairing | Paired | Request | Cancel | Ack | Chunk;

/** A frame as a sender writes it: fields with defaults may be left out. */
export type OutgoingFrame = z.input<
  (typeof agentFrames)[keyof typeof agentFrames] | (typeof bridgeFrames)[keyof typeof bridgeFrames]
>;
