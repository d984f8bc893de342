import { signal } from "@preact/signals";

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

const DAY_MS = 86_400_000;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function currentTime(): number {
  return now.value;
}

export function Ago({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={clockText(at)}>
      {agoText(now.value - at)}
    </time>
  );
}

export function Lasted({ from, to }: { from: number; to: number | null }) {
  return <span>{durationText((to ?? now.value) - from)}</span>;
}

function agoText(ms: number): string {
  return ms < 5_000 ? "now" : `${durationText(Math.floor(ms / 1_000) * 1_000)} ago`;
}

/** As people write it: 0.4 s, 12 s, 5 min, 2 h 10 min, 3 days. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours < 24) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
  const days = Math.floor(hours / 24);
  return `${days} ${days === 1 ? "day" : "days"}`;
}

/** One format everywhere: 14:05:09, yesterday 14:05:09, 3 Nov 14:05. */
export function clockText(at: number): string {
  const date = new Date(at);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()].map(
    (part) => String(part).padStart(2, "0"),
  );
  const clock = `${hours}:${minutes}`;
  if (isSameDay(date, new Date())) return `${clock}:${seconds}`;
  if (isSameDay(date, new Date(Date.now() - DAY_MS))) return `yesterday ${clock}`;
  if (isSameDay(date, new Date(Date.now() + DAY_MS))) return `tomorrow ${clock}`;
  const year = date.getFullYear() === new Date().getFullYear() ? "" : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${months[date.getMonth()]}${year} ${clock}`;
}

/** The day of a time, as a heading: Today, Yesterday, 3 Nov 2026. */
export function dayText(at: number): string {
  const date = new Date(at);
  if (isSameDay(date, new Date())) return "Today";
  if (isSameDay(date, new Date(Date.now() - DAY_MS))) return "Yesterday";
  return `${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}`;
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}
