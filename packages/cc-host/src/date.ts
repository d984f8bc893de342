import type { LuaValue } from "./vm/literal.js";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

const FIELDS: Readonly<Record<string, (date: Date) => string>> = {
  "%": () => "%",
  a: (date) => (DAYS[date.getUTCDay()] as string).slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()] as string,
  b: (date) => (MONTHS[date.getUTCMonth()] as string).slice(0, 3),
  B: (date) => MONTHS[date.getUTCMonth()] as string,
  c: (date) => strftime("%a %b %e %H:%M:%S %Y", date),
  d: (date) => two(date.getUTCDate()),
  D: (date) => strftime("%m/%d/%y", date),
  e: (date) => String(date.getUTCDate()).padStart(2, " "),
  F: (date) => strftime("%Y-%m-%d", date),
  H: (date) => two(date.getUTCHours()),
  I: (date) => two(((date.getUTCHours() + 11) % 12) + 1),
  j: (date) => String(dayOfYear(date)).padStart(3, "0"),
  m: (date) => two(date.getUTCMonth() + 1),
  M: (date) => two(date.getUTCMinutes()),
  n: () => "\n",
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  R: (date) => strftime("%H:%M", date),
  S: (date) => two(date.getUTCSeconds()),
  T: (date) => strftime("%H:%M:%S", date),
  w: (date) => String(date.getUTCDay()),
  x: (date) => strftime("%m/%d/%y", date),
  X: (date) => strftime("%H:%M:%S", date),
  y: (date) => two(date.getUTCFullYear() % 100),
  Y: (date) => String(date.getUTCFullYear()),
  z: () => "+0000",
  Z: () => "UTC",
};

function strftime(format: string, date: Date): string {
  return format.replace(/%(.)/g, (whole, letter: string) => FIELDS[letter]?.(date) ?? whole);
}

export function formatDate(format: string, epochMs: number): LuaValue {
  const date = new Date(epochMs);
  const pattern = format.replace(/^!/, "");
  if (!pattern.startsWith("*t")) return strftime(pattern, date);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    min: date.getUTCMinutes(),
    sec: date.getUTCSeconds(),
    wday: date.getUTCDay() + 1,
    yday: dayOfYear(date),
    isdst: false,
  };
}
