import { utf8Length } from "@ccbridge/protocol";
import { cleanText } from "@ccbridge/registry";
import { cutEnd } from "./text.js";

// Text from the game is set apart in one of two ways, so that it cannot imitate the lines of a
// tool:
// - inside a line, a value is a single word (`chest_0`) or a JSON string (`"two words"`):
// `inline`, `quoted`;
// - whole lines begin with a bar (`| like this`): `block`, or `afterBar` for the rest of a line.
// Everything else is the tool's own text. A bar on every line needs no delimiter that the text
// could contain, and costs two bytes a line.

export { inline, quoted, toJson } from "@ccbridge/registry";

const BAR = "| ";

export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  readonly leftOut: number;
}

const NOTE_BYTES = 60;

/** Keeps more of the end than of the beginning. What fits is counted as {@link block} shows it. */
export function excerpt(text: string, maxBytes: number): Excerpt {
  if (fitting(text, maxBytes) === text.length) {
    return { head: text, tail: "", leftOut: 0 };
  }
  const room = Math.max(0, maxBytes - NOTE_BYTES);
  const start = fittingFrom(text, room - (room >> 2));
  const end = Math.min(fitting(text, room >> 2), start);
  return { head: text.slice(0, end), tail: text.slice(start), leftOut: start - end };
}

export function fitting(text: string, maxBytes: number): number {
  let room = maxBytes - BAR.length;
  let end = 0;
  for (; end < text.length; end++) {
    room -= bytesOf(text.charCodeAt(end));
    if (room < 0) break;
  }
  return isInsidePair(text, end) ? end - 1 : end;
}

function fittingFrom(text: string, maxBytes: number): number {
  let room = maxBytes - BAR.length;
  let start = text.length;
  for (; start > 0; start--) {
    room -= bytesOf(text.charCodeAt(start - 1));
    if (room < 0) break;
  }
  return isInsidePair(text, start) ? start + 1 : start;
}

/** Upper bound for a UTF-16 unit after cleaning, including the bar of a new line. */
function bytesOf(unit: number): number {
  if ((unit >= 0x20 && unit < 0x7f) || unit === 0x09) return 1;
  if (unit === 0x0a) return 1 + BAR.length;
  if (unit < 0x80) return 3;
  if (unit >= 0x800) return (unit & 0xf800) === 0xd800 && unit < 0xdc00 ? 2 : 3;
  // What hides text becomes one character of three bytes.
  return unit < 0xa0 || unit === 0xad || unit === 0x34f || unit === 0x61c ? 3 : 2;
}

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

export function block(text: string | Excerpt): string {
  if (typeof text === "string") return barred(text);
  const { head, tail, leftOut } = text;
  if (leftOut === 0) return barred(head);
  return `${barred(head)}\n[${leftOut} characters left out here]\n${barred(tail)}`;
}

/** The CR of a line end is shown: a client that compares or edits the text needs it. */
function barred(text: string): string {
  const shown = cleanText(text.replaceAll("\r\n", "\u240d\n"));
  return BAR + shown.replace(/\n$/, "").replaceAll("\n", `\n${BAR}`);
}

export function afterBar(text: string): string {
  return BAR + cleanText(text).replaceAll("\n", "\u240a");
}

export function plain({ head, tail, leftOut }: Excerpt): string {
  return leftOut === 0 ? head : `${head}\n... [${leftOut} characters left out here] ...\n${tail}`;
}

/** Omits whole lines from the middle: a cut line would lose its bar. */
export function cutLines(text: string, maxBytes: number): string {
  if (text.length <= maxBytes / 3 || utf8Length(text) <= maxBytes) return text;
  const all = text.split("\n").map((line) => cutEnd(line, maxBytes >> 2));
  let room = maxBytes - NOTE_BYTES;
  let [from, to] = [0, all.length];
  while (from < to) {
    // Prefer the last lines: they say what to do next.
    const isFirst = from * 3 < all.length - to;
    room -= utf8Length(all[isFirst ? from : to - 1] ?? "") + 1;
    if (room < 0) break;
    if (isFirst) from += 1;
    else to -= 1;
  }
  const note = `[lines left out here: ${to - from}]`;
  return [...all.slice(0, from), note, ...all.slice(to)].join("\n");
}
