import { z } from "zod";

const time = z.number();

export const OutcomeSchema = z.enum(["ok", "error", "refused", "asked"]);

export const CallRowSchema = z.object({
  id: z.number(),
  at: time,
  client: z.string(),
  software: z.string().nullable(),
  session: z.string(),
  tool: z.string(),
  acts: z.boolean(),
  request: z.record(z.string(), z.unknown()),
  providers: z.array(z.string()),
  keys: z.array(z.string()),
  job: z.string().nullable(),
  approvedBy: z.string().nullable(),
  trace: z.string(),
  waits: z.boolean(),
  /** Null while waiting or running. "asked": the client got a question and calls again. */
  outcome: OutcomeSchema.nullable(),
  durationMs: z.number().nullable(),
  answer: z.string().nullable(),
  /** The other bridge of the cluster through which it was called; null for this one, and where that is not known. */
  bridge: z.string().nullable(),
});

export type CallRow = z.infer<typeof CallRowSchema>;

export const SessionRowSchema = z.object({
  /** Opaque: the session id cannot be derived from it. */
  id: z.string(),
  client: z.string(),
  software: z.string().nullable(),
  protocol: z.string().nullable(),
  mayEnd: z.boolean(),
  usedAt: time,
  openCalls: z.number(),
  lastTool: z.string().nullable(),
  /** The other bridge of the cluster that has it; null for this bridge. */
  bridge: z.string().nullable(),
});

/** Why rows of other bridges may be missing. */
export const unseen = z.string().nullable();

export type SessionRow = z.infer<typeof SessionRowSchema>;
