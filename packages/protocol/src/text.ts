// Text of a provider is data. What a person cannot see in it can still speak to a model, or move a terminal's cursor:
// control characters, tag characters, runs of zero-width characters, directions that are never closed. Only that is
// replaced. Joiners, variation selectors, flags and paired directions stay: without them names are misspelt, and
// families and flags fall apart.

export const REMOVED = "\ufffd";

const directions = /[\u202a-\u202e\u2066-\u2069\n\u2028\u2029]/g;
/** England, Scotland and Wales: the only flags that are written with tag characters. */
const taggedFlag =
  "\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}";
const suspects = new RegExp(
  `\\r\\n|${taggedFlag}|[\\p{DI}\\p{Cc}\\p{Cs}\\u2028\\u2029\\ufff9-\\ufffb]`,
  "gu",
);
const selector = /^[\ufe00-\ufe0f\u180b-\u180d\u180f]$/;
const ideographSelector = /^[\u{e0100}-\u{e01ef}]$/u;
/** Without width, and harmless alone: joiners, marks of direction, places where a word may break. */
const zeroWidth = /^(?:\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u2060])$/;
const direction = /^[\u202a-\u202e\u2066-\u2069]$/;

/**
 * Replaces what hides text from people, by what `replace` returns for each such character. Its other argument says
 * whether the character before it was replaced too.
 */
export function replaceHidden(
  text: string,
  replace: (hidden: string, follows: boolean) => string,
): string {
  if (isPlainText(text)) return text;
  const paired = pairedDirections(text);
  let replacedTo = -1;
  let invisibleTo = -1;
  let last = "";
  return text.replace(suspects, (found, at: number) => {
    if (found === "\n" || found === "\t" || found === "\r\n" || found.length > 2) return found;
    const isAlone = invisibleTo !== at;
    const isHarmless =
      (selector.test(found) && isAlone && at > 0) ||
      (zeroWidth.test(found) && (isAlone || selector.test(last))) ||
      (ideographSelector.test(found) &&
        /\p{Script=Han}$/u.test(text.slice(Math.max(0, at - 2), at))) ||
      (direction.test(found) && paired.has(at));
    last = found;
    // Directions are not counted: they begin beside each other, and other characters follow them.
    if (!direction.test(found) || !isHarmless) invisibleTo = at + found.length;
    if (isHarmless) return found;
    const follows = replacedTo === at;
    replacedTo = at + found.length;
    return replace(found, follows);
  });
}

function pairedDirections(text: string): ReadonlySet<number> {
  const paired = new Set<number>();
  let open: { at: number; isIsolate: boolean }[] = [];
  let isolates = 0;
  for (const { 0: mark, index: at } of text.matchAll(directions)) {
    const isIsolate = mark >= "\u2066";
    if (mark === "\u2069" && isolates > 0) {
      isolates -= 1;
      let top = open.pop();
      while (top?.isIsolate === false) top = open.pop();
      if (top !== undefined) paired.add(top.at).add(at);
    } else if (mark === "\u202c" && open.at(-1)?.isIsolate === false) {
      const top = open.pop();
      if (top !== undefined) paired.add(top.at).add(at);
    } else if (mark === "\n" || mark === "\u2028" || mark === "\u2029") {
      open = [];
      isolates = 0;
    } else if (mark !== "\u2069" && mark !== "\u202c") {
      open.push({ at, isIsolate });
      if (isIsolate) isolates += 1;
    }
  }
  return paired;
}

export interface ShownText {
  readonly text: string;
  /** How many characters were removed; a run of them is shown as one {@link REMOVED}. */
  readonly removed: number;
}

/**
 * Text as it leaves the bridge: well-formed Unicode of which everything can be seen. Control characters become
 * symbols (`␛` for escape), so that output shows what a program printed.
 */
export function shownText(text: string): ShownText {
  let removed = 0;
  let isRun = false;
  const shown = replaceHidden(text, (hidden, follows) => {
    const symbol = symbolOf(hidden);
    const continues = follows && isRun;
    isRun = symbol === undefined;
    if (symbol !== undefined) return symbol;
    removed += 1;
    return continues ? "" : REMOVED;
  });
  return { text: shown.replaceAll("\r\n", "\n"), removed };
}

export function removedNote(removed: number): string {
  if (removed === 0) return "";
  const what = removed === 1 ? "1 invisible character was" : `${removed} invisible characters were`;
  return `[${what} replaced by ${REMOVED}]`;
}

function symbolOf(control: string): string | undefined {
  if (control === "\u2028" || control === "\u2029") return "\n";
  const unit = control.charCodeAt(0);
  if (unit === 0x7f) return "\u2421";
  return unit < 0x20 ? String.fromCharCode(0x2400 + unit) : undefined;
}

function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, REMOVED);
}

/** JSON without half characters: JavaScript writes them as `\ud800`, and strict parsers refuse the whole message. */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("\\ud")) return text;
  return JSON.stringify(value, (_, item) => {
    if (typeof item === "string") return wellFormed(item);
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, each]) => [wellFormed(key), each]));
  });
}

/** The same for JSON that another program wrote: a half character is an escape without its other half. */
export function wellFormedEscapes(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(
    /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2})|.)/g,
    (found, half) => (half === undefined ? found : "\\ufffd"),
  );
}

function isPlainText(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7e || (unit < 0x20 && unit !== 0x0a && unit !== 0x09)) return false;
  }
  return true;
}
