import type { z } from "zod";
import { type Outline, outlineOf } from "../json-scan.js";
import { wellFormedJson } from "../text.js";
import { frameLengths, MAX_JSON_DEPTH, MAX_JSON_VALUES, SHORTEST_FRAME_LENGTH } from "./bounds.js";
import {
  type AgentFrame,
  agentFrames,
  type BridgeFrame,
  bridgeFrames,
  type OutgoingFrame,
} from "./frames.js";

export type DecodedFrame<F> =
  | { ok: true; frame: F }
  | {
      ok: false;
      problem: "malformed" | "unknown-type";
      type: string | undefined;
      reason: string;
      /** The request that a malformed answer belongs to: its caller should stop waiting. */
      id?: string;
    };

export function decodeAgentFrame(text: string): DecodedFrame<AgentFrame> {
  return decode<AgentFrame>(agentFrames, text, frameLengths);
}

export function decodeBridgeFrame(text: string): DecodedFrame<BridgeFrame> {
  return decode<BridgeFrame>(bridgeFrames, text);
}

/** JSON of this length cannot be nested deeper than a frame may be, nor have too many values. */
const SHALLOW_LENGTH = 2 * MAX_JSON_DEPTH;
const shallow: Outline = { depth: 0, items: 0, values: 0, type: undefined, id: undefined };

function decode<F>(
  schemas: Record<string, z.ZodType<F>>,
  text: string,
  lengths?: Readonly<Record<string, number>>,
): DecodedFrame<F> {
  const outline = text.length <= SHALLOW_LENGTH ? shallow : outlineOf(text);
  const problem = tooMuch(text, outline, lengths);
  if (problem !== undefined) {
    const { type, id } = outline;
    const known = type !== undefined && Object.hasOwn(schemas, type) ? type : undefined;
    return malformed(problem, known, id);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed("not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return malformed("not a JSON object");
  }
  const type = (value as { type?: unknown }).type;
  if (typeof type !== "string") return malformed("no frame type");
  if (!Object.hasOwn(schemas, type)) {
    return {
      ok: false,
      problem: "unknown-type",
      type,
      reason: `unknown frame type ${quote(type)}`,
    };
  }
  // The length was judged by the type that was written first; escapes or a second one could fool it.
  if (lengths && text.length > SHORTEST_FRAME_LENGTH && type !== outline.type) {
    return malformed("a long frame must say its type plainly");
  }
  const parsed = (schemas[type] as z.ZodType<F>).safeParse(value);
  if (parsed.success) return { ok: true, frame: parsed.data };
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") || "frame";
  const { id } = value as { id?: unknown };
  return malformed(
    `${type}: ${where}: ${issue?.message ?? "invalid"}`,
    type,
    typeof id === "string" ? id : undefined,
  );
}

function tooMuch(
  text: string,
  { depth, values, type = "" }: Outline,
  lengths: Readonly<Record<string, number>> | undefined,
): string | undefined {
  const known = lengths !== undefined && Object.hasOwn(lengths, type) ? lengths[type] : undefined;
  const length = lengths === undefined ? text.length : (known ?? SHORTEST_FRAME_LENGTH);
  if (text.length > length)
    return `a ${text.length} character frame, where ${length} are the limit`;
  if (depth > MAX_JSON_DEPTH) return `nested ${depth} deep, where ${MAX_JSON_DEPTH} is the limit`;
  return values > MAX_JSON_VALUES ? `more than ${MAX_JSON_VALUES} values` : undefined;
}

function malformed(reason: string, type?: string, id?: string): DecodedFrame<never> {
  const answered = type === "response" && id !== undefined && id !== "" && id.length <= 128;
  const failure = { ok: false, problem: "malformed", type, reason: reason.slice(0, 200) } as const;
  return answered ? { ...failure, id } : failure;
}

/** Hostile text in a reason: bounded, and on one line. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

// Computers before CC:Tweaked 1.109 turn raw characters above U+00FF into "?", but every version reads
// \u escapes. The game's own decoder never joins escaped surrogate pairs, so those stay raw unless the
// agent says that it does.
const escapable = /[\u0080-\ud7ff\ue000-\uffff]/g;
const beyondAscii = /[\u0080-\uffff]/g;

export interface EncodeOptions {
  /** Characters above U+FFFF as escaped pairs too, for agents with the `surrogates` feature. */
  escapePairs?: boolean;
}

/** Writes a frame so that every ComputerCraft version reads it: JSON, ASCII but for surrogate pairs. */
export function encodeFrame(frame: OutgoingFrame, { escapePairs }: EncodeOptions = {}): string {
  return wellFormedJson(frame).replace(escapePairs === true ? beyondAscii : escapable, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** How many bytes a text takes as UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(text, i)) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

export function isPair(text: string, index: number): boolean {
  const high = text.charCodeAt(index);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
