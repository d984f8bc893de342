export interface JsonLimits {
  depth: number;
  items: number;
  /** Roughly how many values there are at any depth; never fewer than half of them. */
  values: number;
}

/** What a JSON text is made of, measured without parsing it. */
export interface Outline extends JsonLimits {
  type: string | undefined;
  id: string | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const unlimited: JsonLimits = { depth: Infinity, items: Infinity, values: Infinity };

/**
 * Scans a text in one pass, up to the first limit that it exceeds. Parsing 16 MB of `[` or of `[],` takes
 * seconds and gigabytes; this takes milliseconds. Text that is not JSON gets some outline.
 */
export function outlineOf(text: string, limits = unlimited): Outline {
  let depth = 0;
  let deepest = 0;
  let items = 1;
  let values = 1;
  let type: string | undefined;
  let id: string | undefined;
  let string: string | undefined;
  let key: string | undefined;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at + 1);
        if (depth === 1) {
          string = text.slice(at + 1, Math.min(end, at + 130));
          if (key === "type") type = string;
          else if (key === "id") id = string;
        }
        at = end;
        break;
      }
      case 0x3a: // :
        if (depth === 1) key = string;
        break;
      case 0x2c: // ,
        values += 1;
        if (depth === 1) {
          key = undefined;
          items += 1;
        }
        if (values > limits.values || items > limits.items) at = text.length;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1;
        if (depth > deepest) deepest = depth;
        if (values > limits.values || depth > limits.depth) at = text.length;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return { depth: deepest, items, values, type, id };
}

/** The limit that a JSON text exceeds, found before anything is parsed. */
export function exceededLimit(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  const { depth, items, values } = outlineOf(text, limits);
  if (depth > limits.depth) return "depth";
  if (items > limits.items) return "items";
  return values > limits.values ? "values" : undefined;
}

/** Where a string ends that begins before `from`: at its closing quote, or behind the text. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote >= 0) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH && quote - slashes > from) slashes++;
    if (slashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
