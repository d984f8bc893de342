import { type Outline, outlineOf } from "../json-scan.js";
import { isRecord } from "../json-schema.js";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from "../link/bounds.js";
import { wellFormedJson } from "../text.js";
import { MAX_FROM_PAGE_BYTES } from "./constants.js";
import { type PageError, type RpcError, readError } from "./errors.js";

export type MessageId = string | number;

export type PageOutcome = { ok: true; result: unknown } | { ok: false; error: PageError };

export type PageMessage =
  | { kind: "request"; id: MessageId; method: string; params: Record<string, unknown> }
  | { kind: "notification"; method: string; params: Record<string, unknown> }
  | { kind: "answer"; id: MessageId; outcome: PageOutcome };

export type DecodedPageMessage =
  | { ok: true; message: PageMessage }
  | {
      ok: false;
      reason: string;
      id: MessageId | undefined;
      tooLarge?: boolean;
    };

const MAX_ID_LENGTH = 128;
const MAX_METHOD_LENGTH = 128;

export function decodeMessage(
  text: string,
  maxLength: number = MAX_FROM_PAGE_BYTES,
): DecodedPageMessage {
  const outline = outlineOf(text);
  const problem = tooMuch(text.length, outline, maxLength);
  if (problem !== undefined) return { ok: false, reason: problem, id: outline.id, tooLarge: true };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("not JSON");
  }
  if (Array.isArray(value)) return refused("a list: send one message at a time");
  if (!isRecord(value)) return refused("not a JSON object");
  // The specification omits it in places, so only a different version is refused.
  if (value.jsonrpc !== undefined && value.jsonrpc !== "2.0") return refused('jsonrpc: not "2.0"');
  return value.method === undefined ? decodeAnswer(value) : decodeRequest(value);
}

function tooMuch(
  length: number,
  { depth, values }: Pick<Outline, "depth" | "values">,
  maxLength: number,
): string | undefined {
  if (length > maxLength) return `${length} characters, where ${maxLength} is the limit`;
  if (depth > MAX_JSON_DEPTH) return `nested ${depth} deep, where ${MAX_JSON_DEPTH} is the limit`;
  return values > MAX_JSON_VALUES ? `more than ${MAX_JSON_VALUES} values` : undefined;
}

function decodeAnswer(value: Record<string, unknown>): DecodedPageMessage {
  const { id, error } = value;
  if (!isId(id)) return refused("neither a method nor the id of a request");
  // Some clients send both `result` and `error`; the error wins.
  const failed = error !== undefined && error !== null;
  const outcome: PageOutcome = failed
    ? { ok: false, error: readError(error) }
    : { ok: true, result: value.result };
  return { ok: true, message: { kind: "answer", id, outcome } };
}

function decodeRequest(value: Record<string, unknown>): DecodedPageMessage {
  const { id, method } = value;
  const params = value.params ?? {};
  if (id !== undefined && !isId(id)) return refused("id: not a short text and not a whole number");
  if (typeof method !== "string" || method === "" || method.length > MAX_METHOD_LENGTH) {
    return refused("method: not a short text", id);
  }
  if (!isRecord(params)) return refused("params: not an object", id);
  const message: PageMessage =
    id === undefined
      ? { kind: "notification", method, params }
      : { kind: "request", id, method, params };
  return { ok: true, message };
}

function isId(id: unknown): id is MessageId {
  if (typeof id === "string") return id.length <= MAX_ID_LENGTH;
  return typeof id === "number" && Number.isSafeInteger(id);
}

function refused(reason: string, id?: MessageId): DecodedPageMessage {
  return { ok: false, reason, id };
}

export function encodeRequest(id: MessageId, method: string, params: object = {}): string {
  return wellFormedJson({ jsonrpc: "2.0", id, method, params });
}

export function encodeNotification(method: string, params: object = {}): string {
  return wellFormedJson({ jsonrpc: "2.0", method, params });
}

export function encodeResult(id: MessageId, result: unknown): string {
  return wellFormedJson({ jsonrpc: "2.0", id, result: result ?? null });
}

export function encodeError(
  id: MessageId | undefined,
  error: Omit<RpcError, "data"> & { data?: unknown },
): string {
  return wellFormedJson({ jsonrpc: "2.0", id: id ?? null, error });
}
