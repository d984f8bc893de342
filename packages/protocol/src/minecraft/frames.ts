import { z } from "zod";
import { count } from "../link/bounds.js";
import { ServerErrorCode } from "./constants.js";
import { EventNameSchema, eventData, isEventType } from "./models.js";

const SourceSchema = z.enum(["mcp", "minecraft"]);
export type Source = z.infer<typeof SourceSchema>;

export const EnvelopeSchema = z.object({
  version: z.string().min(1).max(64),
  type: z.enum(["event", "command", "query", "response", "error"]),
  id: z.string().min(1).max(128),
  /** Milliseconds since 1970. */
  timestamp: z.number(),
  source: SourceSchema,
  payload: z.unknown().optional(),
});
type Envelope = z.infer<typeof EnvelopeSchema>;

type Head = Omit<Envelope, "type" | "payload">;

/** Something that happened on a server: one of the five documented events, or one of a mod or plugin. */
export interface EventFrame extends Head {
  type: "event";
  payload: {
    eventType: string;
    timestamp: number;
    data: Record<string, unknown>;
    /** Counts the events of one run of the sender from 0, without gaps; a gap is what got lost. */
    seq?: number | undefined;
  };
}

export interface CommandFrame extends Head {
  type: "command";
  payload: { command: string; args: Record<string, unknown>; authToken?: string | undefined };
}

export interface QueryFrame extends Head {
  type: "query";
  payload: { query: string; args: Record<string, unknown> };
}

export type ServerOutcome =
  | { ok: true; data: unknown }
  | {
      ok: false;
      code: string;
      message: string;
      details?: Record<string, unknown> | undefined;
    };

export interface AnswerFrame extends Head {
  type: "response" | "error";
  outcome: ServerOutcome;
}

export type Frame = EventFrame | CommandFrame | QueryFrame | AnswerFrame;

const Arguments = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((args) => args ?? {});
const Token = z.string().max(4_096).optional().catch(undefined);

export const EventPayloadSchema = z
  .object({
    eventType: EventNameSchema,
    timestamp: z.number().optional().catch(undefined),
    data: z.unknown().optional(),
    seq: count.optional().catch(undefined),
  })
  .transform(({ eventType, data, ...rest }, context) => {
    const schema = isEventType(eventType) ? eventData[eventType] : Arguments;
    const parsed = schema.safeParse(data);
    if (parsed.success) return { ...rest, eventType, data: parsed.data };
    for (const { path, message } of parsed.error.issues) {
      context.addIssue({ code: "custom", path: ["data", ...path], message });
    }
    return z.NEVER;
  });

const CommandPayload = z.object({
  command: z.string().min(1).max(64),
  args: Arguments,
  authToken: Token,
});

const QueryPayload = z
  .object({ query: z.string().optional(), command: z.string().optional(), args: Arguments })
  .transform(({ query, command, args }) => ({ query: query ?? command ?? "", args }))
  .refine(({ query }) => query !== "" && query.length <= 64, {
    path: ["query"],
    message: "missing, or too long",
  });

const Details = z.record(z.string(), z.unknown()).optional().catch(undefined);
const Failure = z.object({
  code: z.string().min(1).max(64).catch(ServerErrorCode.serverError),
  message: z.string().transform((text) => text.slice(0, 4_096)),
  details: Details,
});
const FailureText = z.string().transform((message) => ({
  code: ServerErrorCode.serverError,
  message: message.slice(0, 4_096),
}));
const unexplained = { code: ServerErrorCode.serverError, message: "The server gave no reason." };
const AnyFailure = z.union([Failure, FailureText]).catch(unexplained);

const failed = (failure: z.infer<typeof AnyFailure>): ServerOutcome => ({ ok: false, ...failure });

const FailedResult = z.object({ success: z.literal(false) }).loose();

const ResponsePayload = z
  .discriminatedUnion("success", [
    z.object({ success: z.literal(true), data: z.unknown().optional() }),
    z.object({
      success: z.literal(false),
      error: z.unknown().optional(),
      message: z.unknown().optional(),
    }),
  ])
  .transform((payload): ServerOutcome => {
    if (!payload.success) return failed(AnyFailure.parse(payload.error ?? payload.message));
    const inner = FailedResult.safeParse(payload.data);
    if (!inner.success) return { ok: true, data: payload.data };
    return failed(AnyFailure.parse(inner.data.error ?? inner.data.message));
  });

const ErrorPayload = z.union([
  Failure.transform(failed),
  z.object({ error: AnyFailure }).transform(({ error }) => failed(error)),
]);

export const payloads = {
  event: EventPayloadSchema,
  command: CommandPayload,
  query: QueryPayload,
  response: ResponsePayload,
  error: ErrorPayload,
} as const;
