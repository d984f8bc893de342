// Text that comes from a provider is data. What cannot be seen in it can still speak to a model or move a
// terminal: control characters, zero-width and tag characters, marks of direction, fillers.

/** What cannot be seen, but for line breaks and tabs. */
const invisible = /[^\P{Cc}\n\t]|[\p{Cf}\p{DI}\u2028\u2029]/gu;

/**
 * Whether a text has nothing but printable ASCII, line breaks and tabs. Nearly all text is like this, and a look is
 * far quicker than the classes of Unicode.
 */
export function isPlainText(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7e || (unit < 0x20 && unit !== LINE_BREAK && unit !== TAB)) return false;
  }
  return true;
}

const LINE_BREAK = 0x0a;
const TAB = 0x09;

/** The same without line breaks and tabs. */
function isPlainLine(text: string): boolean {
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

/** The same for all text inside of some JSON, keys included. Deeper than any agent sends it is left out. */
export function visibleJson(value: unknown, depth = 64): unknown {
  if (typeof value === "string") return visible(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => visibleJson(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [visible(key), visibleJson(item, depth - 1)]),
  );
}

/** Text on one line: what is invisible, line breaks included, becomes a space. */
export function printable(text: string): string {
  if (isPlainLine(text)) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{DI}\u2028\u2029]+/gu, " ");
}
