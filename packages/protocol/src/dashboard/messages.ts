import { z } from "zod";

/** Numbers that a page gives to its watches and actions. */
const number = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** What a page sends. The first message says who the viewer is; a token never appears in a URL. */
export const PageMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), token: z.string().max(4_096).optional() }),
  /** Begins to watch: what is there now comes first, then what changes. */
  z.object({
    type: z.literal("watch"),
    watch: number,
    topic: z.string().max(64),
    params: z.unknown(),
  }),
  z.object({ type: z.literal("unwatch"), watch: number }),
  /** Asks for something once. */
  z.object({
    type: z.literal("action"),
    action: number,
    name: z.string().max(64),
    params: z.unknown(),
  }),
]);

export type PageMessage = z.infer<typeof PageMessageSchema>;

/** Who looks, and what the token allows. */
const ViewerSchema = z.object({
  /** The token's name; null without tokens. */
  name: z.string().nullable(),
  /** Whether it may do more than look. */
  mayAct: z.boolean(),
  /** Whether a person must allow what it does first. */
  mustAsk: z.boolean(),
  /** Whether it may decide for others, and see what all clients do. */
  mayDecide: z.boolean(),
});

export type Viewer = z.infer<typeof ViewerSchema>;

/** What the bridge sends. */
export const ViewMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("welcome"), version: z.string(), viewer: ViewerSchema }),
  /** The state of a watched topic, or what changed about it. */
  z.object({ type: z.literal("data"), watch: number, data: z.unknown() }),
  /** A topic cannot be watched, or can no longer be watched; `retryMs` says when it may be again, where that is known. */
  z.object({
    type: z.literal("failed"),
    watch: number,
    error: z.string(),
    retryMs: z.number().optional(),
  }),
  z.object({ type: z.literal("answer"), action: number, result: z.unknown() }),
  /** An action that was not done, or failed, and why. */
  z.object({ type: z.literal("declined"), action: number, error: z.string() }),
]);

export type ViewMessage = z.infer<typeof ViewMessageSchema>;

/** Why the bridge closes the socket, as close codes; the reason's text is for people. */
export const CloseReason = {
  /** The token is wrong or missing: another one may do. */
  token: 4_401,
  /** Nobody but this machine may look without a token. */
  loopback: 4_403,
  /** What came was not a message of this wire. */
  malformed: 4_400,
  /** Too many look already, or guessed too often. */
  busy: 4_429,
} as const;
