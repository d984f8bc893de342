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

// How a value that a provider chose appears inside a line of ours. It is a single word without spaces, commas,
// brackets and quotes, or else a JSON string; neither can be taken for our own words. Whole lines of a provider
// are set apart by the tools.

/** A name of the game, a path or an address, such as `mod:chest_0`. A colon is only inside it. */
const word = /^(?!.*\p{DI})[\p{L}\p{N}_./@*+~-]+(?::[\p{L}\p{N}_./@*+~-]+)*$/u;

const plainLabel = /^(?!.*\p{DI})[\p{L}\p{N} _.-]+$/u;

/** The longest value in a line, unless a caller knows better: as long as a label may be. */
const MAX_LENGTH = 128;

/** A value from a provider inside a line: the value if it is a single word, otherwise a JSON string. */
export function inline(text: string, maxLength: number = MAX_LENGTH): string {
  return text.length <= maxLength && word.test(text) ? text : quoted(text, maxLength);
}

export function quoted(text: string, maxLength: number = MAX_LENGTH): string {
  let head = cutLength(text, maxLength);
  let json = toJson(head);
  while (json.length > maxLength + 2 && head.length > 1) {
    head = cutLength(head, Math.max(1, Math.floor((head.length * maxLength) / json.length)));
    json = toJson(head);
  }
  return head.length < text.length ? `${json}...` : json;
}

/** JSON in which everything can be seen: what hides text is escaped. */
export function toJson(value: unknown, indent?: number): string {
  return replaceHidden(JSON.stringify(value, undefined, indent) ?? "null", escaped);
}

/** A label behind `Label: `; `null` if it has none. */
export function labelText(label: string | null): string {
  if (label === null) return "null";
  return plainLabel.test(label) ? label : quoted(label);
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
