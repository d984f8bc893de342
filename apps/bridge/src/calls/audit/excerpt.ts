/** How much of a text is kept: the code of most calls is shorter. */
const MAX_LENGTH = 2_048;
const MAX_ARGUMENTS = 16;
/** For all arguments of a call together. */
const MAX_TOTAL = 4_096;

/** The beginning of a text. A cut one is a copy, which does not keep the whole in memory. */
export function beginning(text: string, maxLength = MAX_LENGTH): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
  return Buffer.from(head, "utf16le").toString("utf16le");
}

/** The arguments of a call, each cut to its beginning. */
export function excerptOf(
  args: unknown,
  redact: (text: string) => string,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (typeof args !== "object" || args === null) return kept;
  let room = MAX_TOTAL;
  let count = 0;
  for (const [name, value] of Object.entries(args)) {
    count += 1;
    if (count > MAX_ARGUMENTS || room <= 0) break;
    const short = shortened(value, Math.min(room, MAX_LENGTH));
    if (typeof short === "string") room -= short.length;
    kept[beginning(name, 64)] = typeof short === "string" ? redact(short) : short;
  }
  return kept;
}

function shortened(value: unknown, room: number): unknown {
  if (typeof value === "string") return beginning(value, room);
  if (typeof value !== "object" || value === null) return value;
  return beginning(JSON.stringify(value), room);
}
