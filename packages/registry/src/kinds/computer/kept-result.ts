import {
  cutString,
  decodeText,
  type LuaValue,
  type RunProgramResult,
  RunProgramResultSchema,
} from "@ccbridge/protocol";
import type { KeptResult } from "../../jobs/job-session.js";

const RETURNS_BYTES = 65_536;
const VALUE_BYTES = 16;

/**
 * Reads the result of a job, once for all who ask, and keeps what is worth it: the returned values, cut where they
 * are too much, and the last screen. Its output is kept elsewhere.
 */
export function keepResult(result: unknown): KeptResult {
  const { output, encoding, truncated, lost, returns, screen, moved, kept } = read(result);
  const left = { bytes: RETURNS_BYTES };
  const values = returns.map((value) => cutValue(value, left));
  return {
    output: decodeText(output, encoding),
    isPartial: truncated === true,
    result: {
      ...{ returns: values, lost, screen },
      ...(moved === undefined ? {} : { moved }),
      ...(kept === undefined ? {} : { kept }),
    },
    bytes:
      RETURNS_BYTES -
      left.bytes +
      (screen === undefined ? 0 : 4 * screen.text.length) +
      (moved === undefined ? 0 : JSON.stringify(moved).length),
  };
}

function read(result: unknown): RunProgramResult {
  const parsed = RunProgramResultSchema.safeParse(result ?? {});
  // An early agent answers with a bare value instead of a result.
  return parsed.success ? parsed.data : RunProgramResultSchema.parse({ returns: [result] });
}

interface Left {
  bytes: number;
}

function cutValue(value: LuaValue, left: Left): LuaValue {
  left.bytes -= VALUE_BYTES;
  const before = { cut: false };
  const kept = cut(value.value, left, before);
  if (!before.cut) return value;
  const isWhole = value.encoding === undefined || typeof kept !== "string";
  // Base64 is cut between its groups of four, so that the beginning can be decoded.
  return { ...value, value: isWhole ? kept : cutGroups(kept), truncated: true };
}

function cutGroups(base64: string): string {
  return cutString(base64, base64.length - (base64.length % 4));
}

function cut(value: unknown, left: Left, outcome: { cut: boolean }): unknown {
  if (typeof value === "string") {
    const room = Math.max(0, left.bytes);
    left.bytes -= Math.min(room, 2 * value.length);
    if (2 * value.length <= room) return value;
    outcome.cut = true;
    return cutString(value, room >> 1);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const kept: [string, unknown][] = [];
  for (const [key, item] of entries) {
    left.bytes -= VALUE_BYTES + 2 * key.length;
    if (left.bytes < 0) break;
    kept.push([key, cut(item, left, outcome)]);
  }
  if (kept.length < entries.length) outcome.cut = true;
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}
