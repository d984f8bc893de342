import { signal } from "@preact/signals";

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

export function currentTime(): number {
  return now.value;
}

export function Ago({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{ageText(now.value - at)}</time>;
}

export function Lasted({ from, to }: { from: number; to: number | null }) {
  if (to !== null) return <span>{shortText(to - from)}</span>;
  return <span>{durationText(now.value - from)}</span>;
}

function shortText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : durationText(ms);
}

function ageText(ms: number): string {
  return ms < 5_000 ? "now" : `${durationText(ms)} ago`;
}

function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export function clockText(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString() : date.toLocaleString();
}

/** The day of a time, as a heading. */
export function dayText(at: number): string {
  const today = new Date(now.value);
  const yesterday = new Date(today);
  yesterday.setDate(today.getDate() - 1);
  const day = new Date(at).toDateString();
  if (day === today.toDateString()) return "Today";
  if (day === yesterday.toDateString()) return "Yesterday";
  const parts = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
  return new Date(at).toLocaleDateString(undefined, parts);
}
