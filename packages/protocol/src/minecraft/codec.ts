import type { z } from "zod";
import { type Outline, outlineOf } from "../json-scan.js";
import { isRecord } from "../json-schema.js";
import { MAX_JSON_DEPTH } from "../link/bounds.js";
import { wellFormedJson } from "../text.js";
import {
  DIALECT_VERSION,
  MAX_FROM_SERVER_BYTES,
  MAX_MESSAGE_VALUES,
  MAX_TO_SERVER_BYTES,
  type ServerErrorCode,
} from "./constants.js";
import { EnvelopeSchema, type Frame, payloads, type ServerOutcome, type Source } from "./frames.js";
import type { EventData, EventType } from "./models.js";

export type DecodedServerFrame =
  | {
      ok: true;
      frame: Frame;
      foreignVersion: boolean;
      /** A token in the payload, whatever the type: this is how some servers log in. */
      authToken: string | undefined;
    }
  | {
      ok: false;
      reason: string;
      id: string | undefined;
      foreignVersion: boolean;
      authToken: string | undefined;
    };

export function decodeFrame(text: string, from: Source): DecodedServerFrame {
  // Shorter texts cannot be too deep.
  const outline = text.length > 2 * MAX_JSON_DEPTH ? outlineOf(text) : undefined;
  const problem = outline === undefined ? undefined : tooMuch(text.length, outline);
  if (problem !== undefined) return { ...refused(problem), id: validId(outline?.id) };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("not JSON");
  }
  if (!isRecord(value)) return refused("not a JSON object");
  const id = validId(value.id);
  // The length was judged by the type that was written first; escapes or a second one could fool it.
  if (text.length > MAX_TO_SERVER_BYTES && value.type !== outline?.type) {
    return { ...refused("a long message must say its type plainly"), id };
  }
  const authToken = tokenOf(value.payload);
  const foreignVersion = !isOwnVersion(value.version);
  const envelope = EnvelopeSchema.safeParse(value);
  if (!envelope.success) {
    return { ...refused(issueOf(envelope.error, "")), id, foreignVersion, authToken };
  }
  const { type, payload, ...head } = envelope.data;
  if (head.source !== from) {
    return {
      ...refused(`source: expected ${JSON.stringify(from)}`),
      id,
      foreignVersion,
      authToken,
    };
  }
  const parsed = payloads[type].safeParse(payload ?? {});
  if (!parsed.success) {
    return { ...refused(issueOf(parsed.error, "payload.")), id, foreignVersion, authToken };
  }
  return { ok: true, frame: toFrame(head, type, parsed.data), foreignVersion, authToken };
}

/** What could take seconds to build is refused before it is parsed. Only answers are long. */
function tooMuch(length: number, { type, depth, values }: Outline): string | undefined {
  const isAnswer = type === "response" || type === "error";
  const limit = isAnswer ? MAX_FROM_SERVER_BYTES : MAX_TO_SERVER_BYTES;
  if (length > limit) return `a message of ${length} characters, where ${limit} are the limit`;
  if (depth > MAX_JSON_DEPTH) return `nested ${depth} deep, where ${MAX_JSON_DEPTH} is the limit`;
  return values > MAX_MESSAGE_VALUES ? `more than ${MAX_MESSAGE_VALUES} values` : undefined;
}

function toFrame(
  head: Pick<Frame, "id" | "version" | "timestamp" | "source">,
  type: Frame["type"],
  payload: unknown,
): Frame {
  if (type === "response" || type === "error") {
    return { ...head, type, outcome: payload as ServerOutcome };
  }
  if (type === "event") {
    // Some servers give the time only in the envelope.
    const event = payload as { timestamp?: number };
    const timestamp = event.timestamp ?? head.timestamp;
    return { ...head, type, payload: { ...event, timestamp } } as Frame;
  }
  return { ...head, type, payload } as Frame;
}

/** Whether a version can be read as ours: the same first number. */
function isOwnVersion(version: unknown): boolean {
  return typeof version === "string" && /^1\.\d+\.\d+(?:[-+].*)?$/.test(version);
}

function refused(reason: string): DecodedServerFrame & { ok: false } {
  return {
    ok: false,
    reason: reason.slice(0, 200),
    id: undefined,
    foreignVersion: false,
    authToken: undefined,
  };
}

function issueOf({ issues }: z.ZodError, prefix: string): string {
  const [issue] = issues;
  const path = issue?.path.join(".") ?? "";
  const where = path === "" ? prefix.replace(/\.$/, "") || "message" : `${prefix}${path}`;
  return `${where}: ${issue?.message ?? "invalid"}`;
}

function validId(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" && id.length <= 128 ? id : undefined;
}

function tokenOf(payload: unknown): string | undefined {
  if (!isRecord(payload)) return undefined;
  const token = payload.authToken;
  return typeof token === "string" && token !== "" && token.length <= 4_096 ? token : undefined;
}

interface Sender {
  source: Source;
  id: string;
  /** @default now */
  timestamp?: number | undefined;
}

export function encodeRequest(
  sender: Sender,
  request:
    | { command: string; args: object; authToken?: string | undefined }
    | { query: string; args: object },
): string {
  return write(sender, "query" in request ? "query" : "command", request);
}

export function encodeResponse(sender: Sender, data?: unknown): string {
  return write(
    sender,
    "response",
    data === undefined ? { success: true } : { success: true, data },
  );
}

export interface WireError {
  code: ServerErrorCode;
  message: string;
  details?: Record<string, unknown> | undefined;
}

export function encodeFailure(sender: Sender, { code, message, details }: WireError): string {
  const error = { code, message, ...(details === undefined ? {} : { details }) };
  return write(sender, "response", { success: false, error });
}

export function encodeError(sender: Sender, { code, message, details }: WireError): string {
  return write(sender, "error", {
    code,
    message,
    ...(details === undefined ? {} : { details }),
  });
}

export function encodeEvent<T extends EventType>(
  sender: Sender,
  event: {
    eventType: T;
    timestamp: number;
    data: EventData<T>;
    seq?: number | undefined;
    /** For a client with several servers. */
    server?: string | undefined;
  },
): string {
  return write(sender, "event", event);
}

function write({ source, id, timestamp = Date.now() }: Sender, type: string, payload: unknown) {
  return wellFormedJson({ version: DIALECT_VERSION, type, id, timestamp, source, payload });
}
