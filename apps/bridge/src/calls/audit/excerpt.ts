const MAX_LENGTH = 2_048;
const MAX_ARGUMENTS = 16;
const MAX_TOTAL = 4_096;

/** A truncated text is copied, so that the slice does not keep the whole string in memory. */
export function truncate(text: string, maxLength = MAX_LENGTH): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
  return Buffer.from(head, "utf16le").toString("utf16le");
}

export function excerptOf(
  args: unknown,
  redact: (text: string) => string,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (typeof args !== "object" || args === null) return kept;
  let remaining = MAX_TOTAL;
  let count = 0;
  for (const [name, value] of Object.entries(args)) {
    count += 1;
    if (count > MAX_ARGUMENTS || remaining <= 0) break;
    const short = shortened(value, Math.min(remaining, MAX_LENGTH));
    if (typeof short === "string") remaining -= short.length;
    kept[truncate(name, 64)] = typeof short === "string" ? redact(short) : short;
  }
  return kept;
}

function shortened(value: unknown, remaining: number): unknown {
  if (typeof value === "string") return truncate(value, remaining);
  if (typeof value !== "object" || value === null) return value;
  return truncate(JSON.stringify(value), remaining);
}
