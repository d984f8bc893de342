import { utf8Length } from "@ccbridge/protocol";
import { cleanText } from "@ccbridge/registry";
import { cutEnd } from "./text.js";

// Text from the game is set apart in one of two ways, so that it cannot imitate the lines of a tool:
//
// - inside a line, a value is a single word (`minecraft:chest_0`) or a JSON string (`"two words"`): `inline`, `quoted`;
// - whole lines have a bar before them (`| like this`): `block` for several lines, `afterBar` for the rest of a line.
//
// So whatever is neither in quotes nor behind a bar is the tool's own. A bar before every line needs no delimiter
// that the text could contain, and costs two bytes a line.

export { inline, quoted, toJson } from "@ccbridge/registry";

const BAR = "| ";

/** A text without its middle if that is too long. */
export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  /** Characters left out between the two. */
  readonly leftOut: number;
}

/** What the line between the two parts takes. */
const NOTE_BYTES = 60;

/** As much of a text as fits into a block of so many bytes, more of its end than of its beginning. */
export function excerpt(text: string, maxBytes: number): Excerpt {
  if (fitting(text, maxBytes) === text.length) {
    return { head: cleanText(text), tail: "", leftOut: 0 };
  }
  const room = Math.max(0, maxBytes - NOTE_BYTES);
  const start = fittingFrom(text, room - (room >> 2));
  const end = Math.min(fitting(text, room >> 2), start);
  return {
    head: cleanText(text.slice(0, end)),
    tail: cleanText(text.slice(start)),
    leftOut: start - end,
  };
}

/** How many characters of the beginning of a text fit into a block of so many bytes. */
export function fitting(text: string, maxBytes: number): number {
  let room = maxBytes - BAR.length;
  let end = 0;
  for (; end < text.length; end++) {
    room -= bytesOf(text.charCodeAt(end));
    if (room < 0) break;
  }
  return isInsidePair(text, end) ? end - 1 : end;
}

/** Where the end of a text begins that fits into a block of so many bytes. */
function fittingFrom(text: string, maxBytes: number): number {
  let room = maxBytes - BAR.length;
  let start = text.length;
  for (; start > 0; start--) {
    room -= bytesOf(text.charCodeAt(start - 1));
    if (room < 0) break;
  }
  return isInsidePair(text, start) ? start + 1 : start;
}

/** What a UTF-16 unit takes at most, cleaned and with the bar of the line that it begins. */
function bytesOf(unit: number): number {
  if ((unit >= 0x20 && unit < 0x7f) || unit === 0x09) return 1;
  if (unit === 0x0a) return 1 + BAR.length;
  if (unit < 0x80) return 3;
  return unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
}

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** Lines from the game. */
export function block(text: string | Excerpt): string {
  if (typeof text === "string") return barred(cleanText(text));
  const { head, tail, leftOut } = text;
  if (leftOut === 0) return barred(head);
  return `${barred(head)}\n[${leftOut} characters left out here]\n${barred(tail)}`;
}

function barred(text: string): string {
  return BAR + text.replace(/\n$/, "").replaceAll("\n", `\n${BAR}`);
}

/** Text from the game that takes the rest of a line; its line breaks are shown as symbols. */
export function afterBar(text: string): string {
  return BAR + cleanText(text).replaceAll("\n", "\u240a");
}

/** An excerpt for structured content, where nothing needs to be set apart. */
export function plain({ head, tail, leftOut }: Excerpt): string {
  return leftOut === 0 ? head : `${head}\n... [${leftOut} characters left out here] ...\n${tail}`;
}

/** Leaves whole lines out of the middle of a text that is too long: the end of a line would not be set apart any more. */
export function cutLines(text: string, maxBytes: number): string {
  if (text.length <= maxBytes / 3 || utf8Length(text) <= maxBytes) return text;
  const all = text.split("\n").map((line) => cutEnd(line, maxBytes >> 2));
  let room = maxBytes - NOTE_BYTES;
  let [from, to] = [0, all.length];
  while (from < to) {
    // The last lines matter more: they say what to do next.
    const isFirst = from * 3 < all.length - to;
    room -= utf8Length(all[isFirst ? from : to - 1] ?? "") + 1;
    if (room < 0) break;
    if (isFirst) from += 1;
    else to -= 1;
  }
  const note = `[lines left out here: ${to - from}]`;
  return [...all.slice(0, from), note, ...all.slice(to)].join("\n");
}
