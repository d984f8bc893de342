import { z } from "zod";

const number = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The first message authenticates the viewer: a token never appears in a URL. */
export const DashboardMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), token: z.string().max(4_096).optional() }),
  z.object({
    type: z.literal("watch"),
    watch: number,
    topic: z.string().max(64),
    params: z.unknown(),
  }),
  z.object({ type: z.literal("unwatch"), watch: number }),
  z.object({
    type: z.literal("action"),
    action: number,
    name: z.string().max(64),
    params: z.unknown(),
  }),
]);

export type DashboardMessage = z.infer<typeof DashboardMessageSchema>;

const ViewerSchema = z.object({
  name: z.string().nullable(),
  mayAct: z.boolean(),
  mustAsk: z.boolean(),
  mayDecide: z.boolean(),
});

export type Viewer = z.infer<typeof ViewerSchema>;

export const ViewMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    version: z.string(),
    /** The base is not a real one. */
    isDemo: z.boolean().optional(),
    viewer: ViewerSchema,
  }),
  z.object({ type: z.literal("data"), watch: number, data: z.unknown() }),
  /** The topic cannot or can no longer be watched; `retryMs` says when to retry, if known. */
  z.object({
    type: z.literal("failed"),
    watch: number,
    error: z.string(),
    retryMs: z.number().optional(),
  }),
  z.object({ type: z.literal("answer"), action: number, result: z.unknown() }),
  z.object({
    type: z.literal("declined"),
    action: number,
    error: z.string(),
    /** Of a failure of the link. */
    code: z.string().optional(),
  }),
]);

export type ViewMessage = z.infer<typeof ViewMessageSchema>;

export const CloseReason = {
  token: 4_401,
  /** Without a token only loopback is allowed. */
  loopback: 4_403,
  malformed: 4_400,
  busy: 4_429,
} as const;

export const DASHBOARD_PATH = "/dashboard/live";
