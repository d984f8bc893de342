export interface ShapeLimits {
  depth: number;
  items: number;
  /** Approximate number of values at any depth. */
  values: number;
}

/**
 * Checks the shape of a JSON text without parsing it: millions of nested arrays take seconds to
 * parse, and many small messages cost far more as objects than as text. Invalid JSON may pass; the
 * parser rejects it.
 */
export function shapeProblem(text: string, limits: ShapeLimits): keyof ShapeLimits | undefined {
  let depth = 0;
  let commas = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1;
        if (depth > limits.depth) return "depth";
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        values += 1;
        if (depth === 1) commas += 1;
        if (commas >= limits.items) return "items";
    }
    if (values > limits.values) return "values";
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const end = text.indexOf('"', at);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    at = end;
  }
}
