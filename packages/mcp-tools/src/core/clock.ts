import { z } from "zod";
import { quoted } from "../format/set-apart.js";
import { ToolError } from "./errors.js";

/** The time of what is wanted; {@link readSpan} reads it. */
export const timeSpan = {
  since: z.string().max(64).optional().describe('"22:00", "2h" (ago), "today".'),
  until: z.string().max(64).optional().meta({ description: "Up to this time.", obvious: true }),
};

export function readSpan({
  since,
  until,
}: {
  since?: string | undefined;
  until?: string | undefined;
}) {
  return {
    ...(since === undefined ? {} : { since: readTime(since, "start") }),
    ...(until === undefined ? {} : { until: readTime(until, "end") }),
  };
}

const MINUTE_MS = 60_000;
const units = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS } as const;

/** A time as people write it, of the bridge's time zone; of a whole day its beginning, or its end. */
export function readTime(text: string, end: "start" | "end", now = Date.now()): number {
  const written = text.trim().toLowerCase();
  if (written === "now") return now;
  const [, amount, unit] = /^(\d{1,6}) ?([mhd])\w*(?: ago)?$/.exec(written) ?? [];
  if (unit !== undefined) return now - Number(amount) * units[unit as keyof typeof units];
  if (written === "today") return dayOf(now, 0, end);
  if (written === "yesterday") return dayOf(now, -1, end);
  const [, hours, minutes, seconds = "0"] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(written) ?? [];
  if (hours !== undefined) {
    const clock = new Date(now).setHours(Number(hours), Number(minutes), Number(seconds), 0);
    // The last time that the clock showed it.
    return clock > now ? new Date(clock).setDate(new Date(clock).getDate() - 1) : clock;
  }
  if (/^\d{4}-\d\d-\d\d$/.test(written)) {
    const day = Date.parse(`${written}T00:00`);
    if (!Number.isNaN(day)) return dayOf(day, 0, end);
  }
  const time = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/.test(written)
    ? Date.parse(text.trim().replace(" ", "T"))
    : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ToolError(
    `${quoted(text)} is not a time.`,
    'Write "22:00", "today", "yesterday", "2h" (ago), "2026-01-31" or "2026-01-31T22:00".',
  );
}

/** A time to come: of a clock the next time that it shows it; of a whole day its end. */
export function readUntil(text: string, now = Date.now()): number {
  const written = text.trim().toLowerCase();
  const [, amount, unit] = /^(?:in )?(\d{1,6}) ?([mhd])\w*$/.exec(written) ?? [];
  const ahead = Number(amount) * (units[unit as keyof typeof units] ?? 0);
  const isClock = /^\d{1,2}:\d\d(?::\d\d)?$/.test(written);
  let time = unit === undefined ? readTime(text, "end", now) : now + ahead;
  if (isClock && time <= now) time = new Date(time).setDate(new Date(time).getDate() + 1);
  if (time > now) return time;
  throw new ToolError(`${quoted(text)} is in the past.`, 'Write "2h", "7d", "22:00" or a date.');
}

function dayOf(time: number, days: number, end: "start" | "end"): number {
  const day = new Date(time);
  day.setDate(day.getDate() + days);
  return end === "start" ? day.setHours(0, 0, 0, 0) : day.setHours(23, 59, 59, 999);
}

/** A time as {@link readTime} reads it. */
export function timeText(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${clock}`;
}

/** The time alone today, with its day before that. */
export function clockText(time: number, now = Date.now()): string {
  const [day = "", clock = ""] = timeText(time).split(" ");
  return timeText(now).startsWith(day) ? clock : `${day} ${clock}`;
}

export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The time zone of these texts. */
export function zoneText(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, "0");
  const size = Math.abs(offset);
  return `UTC${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
