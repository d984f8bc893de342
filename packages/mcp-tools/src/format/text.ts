import { utf8Length } from "@ccbridge/protocol";
import { isPlainText, printable, visible } from "@ccbridge/registry";

/**
 * The bytes for one part of a result. Clients cut texts themselves from about 12 KB on, in the middle
 * and without saying so, so a whole result stays below that.
 */
export const OUTPUT_BYTES = 7_000;
export const RETURNS_BYTES = 3_500;
/** The length of a whole result, in characters. */
export const ANSWER_LENGTH = 11_000;

/** Characters that move a terminal's cursor or ring its bell. A line break may be two characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const controls = /\r\n|[\0-\x08\x0b-\x1f\x7f]/g;

/**
 * Text from the game in a form that is safe to show: line breaks and tabs stay, other control characters
 * are shown as symbols (`␛` for escape), invisible characters are removed.
 */
export function cleanText(text: string): string {
  return isPlainText(text) ? text : visible(text.replace(controls, symbolOf));
}

function symbolOf(control: string): string {
  if (control === "\r\n") return "\n";
  return control === "\x7f" ? "\u2421" : String.fromCharCode(0x2400 + control.charCodeAt(0));
}

/** How many control characters of a text are shown as symbols. */
export function countControls(text: string): number {
  return [...text.matchAll(controls)].filter(([control]) => control !== "\r\n").length;
}

/** Cuts a long text in the middle, keeping more of its end, and says how much is missing. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  // Cutting by a share of the length is close enough, and never splits a character's bytes.
  const keep = Math.floor((text.length * (maxBytes - 80)) / bytes);
  const head = text.slice(0, Math.floor(keep / 4)).replace(/[\ud800-\udbff]$/, "");
  const tail = text
    .slice(text.length - (keep - Math.floor(keep / 4)))
    .replace(/^[\udc00-\udfff]/, "");
  const missing = text.length - head.length - tail.length;
  return `${head}\n... [${missing} characters left out here] ...\n${tail}`;
}

/** Cuts a long text at its end. */
export function cutEnd(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}

/** The beginning of a text, never ending in half a character. */
export function cutLength(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}

/** The name of a thing in the game, on one line and of limited length. */
export function shownName(name: string): string {
  return cutEnd(printable(name), 120);
}

/** Items in a sentence: `a, b and c`. */
export function list(items: readonly string[], word: "and" | "or"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}

/** A text with a capital first letter, to begin a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
