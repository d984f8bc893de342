// Text that comes from a provider is data. What cannot be seen in it can still speak to a model or move a
// terminal: control characters, zero-width and tag characters, marks of direction, fillers.

/** What cannot be seen, but for line breaks and tabs. */
const invisible = /[^\P{Cc}\n\t]|[\p{Cf}\p{DI}\u2028\u2029]/gu;

/** Characters that move a terminal's cursor or ring its bell. A line break may be two characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const controls = /\r\n|[\0-\x08\x0b-\x1f\x7f]/g;

/**
 * Whether a text has nothing but printable ASCII, line breaks and tabs. Nearly all text is like this, and a look is
 * far quicker than the classes of Unicode.
 */
function isPlainText(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7e || (unit < 0x20 && unit !== LINE_BREAK && unit !== TAB)) return false;
  }
  return true;
}

const LINE_BREAK = 0x0a;
const TAB = 0x09;

/** The same without line breaks and tabs. */
export function isPlainLine(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7e || unit < 0x20) return false;
  }
  return true;
}

/** Text of which everything can be seen: the rest is left out; lines and tabs stay. */
export function visible(text: string): string {
  if (isPlainText(text)) return text;
  return text.replace(invisible, "");
}

/**
 * The same, but control characters are shown as symbols (`␛` for escape), so that output shows what a program
 * printed.
 */
export function cleanText(text: string): string {
  return isPlainText(text) ? text : visible(text.replace(controls, symbolOf));
}

function symbolOf(control: string): string {
  if (control === "\r\n") return "\n";
  return control === "\x7f" ? "\u2421" : String.fromCharCode(0x2400 + control.charCodeAt(0));
}

/** The same for all text inside JSON, including keys. Deeper than any agent sends it is left out. */
export function cleanJson(value: unknown, depth = 64): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth - 1)]),
  );
}

/** Text on one line: what is invisible, line breaks included, becomes a space. */
export function printable(text: string): string {
  if (isPlainLine(text)) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{DI}\u2028\u2029]+/gu, " ");
}

/** The beginning of a text, never ending in half a character. */
export function cutLength(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}
