import { replaceHidden, shownText } from "@ccbridge/protocol";

function isPlainLine(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7e || unit < 0x20) return false;
  }
  return true;
}

/** Text as it leaves the bridge, see {@link shownText}. */
export function cleanText(text: string): string {
  return shownText(text).text;
}

export function cleanJson(
  value: unknown,
  onRemoved: (removed: number) => void = () => {},
  depth = 64,
): unknown {
  const clean = (dirty: string) => {
    const { text, removed } = shownText(dirty);
    if (removed > 0) onRemoved(removed);
    return text;
  };
  const inside = (item: unknown) => cleanJson(item, onRemoved, depth - 1);
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map(inside);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), inside(item)]));
}

/** Text on one line: what hides text, and line breaks, become a space. */
export function printable(text: string): string {
  if (isPlainLine(text)) return text;
  return replaceHidden(text, () => " ").replace(/[\r\n\t ]*[\r\n\t][\r\n\t ]*| {2,}/g, " ");
}

/** The beginning of a text, never ending in half a character. */
export function cutLength(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}
