/** Longs beyond 2^53 are bigints, all other numbers are numbers. */
export type Snbt = number | bigint | string | Snbt[] | { [key: string]: Snbt };

export class SnbtError extends Error {
  override readonly name = "SnbtError";
}

const MAX_DEPTH = 512;

const numeric = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

export function parseSnbt(text: string): Snbt {
  const parsed = parseSnbtAt(text, 0);
  if (text.slice(parsed.end).trim() !== "") throw new SnbtError("text follows the value");
  return parsed.value;
}

export function parseSnbtAt(text: string, start: number): { value: Snbt; end: number } {
  const reader = new Reader(text, start);
  const value = reader.value(0);
  return { value, end: reader.at };
}

class Reader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  value(depth: number): Snbt {
    if (depth > MAX_DEPTH) throw new SnbtError("nested too deeply");
    this.#space();
    const char = this.#text.charAt(this.at);
    if (char === "{") return this.#compound(depth);
    if (char === "[") return this.#list(depth);
    if (char === '"' || char === "'") return this.#quoted(char);
    return scalar(this.#bare());
  }

  #compound(depth: number): Snbt {
    const entries: { [key: string]: Snbt } = Object.create(null);
    this.#expect("{");
    while (!this.#accept("}")) {
      this.#space();
      const quote = this.#text.charAt(this.at);
      const key = quote === '"' || quote === "'" ? this.#quoted(quote) : this.#bare();
      this.#expect(":");
      entries[key] = this.value(depth + 1);
      if (!this.#accept(",")) {
        this.#expect("}");
        break;
      }
    }
    return entries;
  }

  #list(depth: number): Snbt {
    this.#expect("[");
    const array = /^\s*[BIL]\s*;/.exec(this.#text.slice(this.at, this.at + 16));
    if (array !== null) this.at += array[0].length;
    const items: Snbt[] = [];
    while (!this.#accept("]")) {
      items.push(this.value(depth + 1));
      if (!this.#accept(",")) {
        this.#expect("]");
        break;
      }
    }
    return items;
  }

  #quoted(quote: string): string {
    let text = "";
    for (this.at += 1; this.at < this.#text.length; this.at++) {
      const char = this.#text.charAt(this.at);
      if (char === quote) {
        this.at += 1;
        return text;
      }
      text += char === "\\" ? this.#escape() : char;
    }
    throw new SnbtError("a text does not end");
  }

  #escape(): string {
    this.at += 1;
    const char = this.#text.charAt(this.at);
    const digits = { x: 2, u: 4, U: 8 }[char];
    if (digits !== undefined) {
      const hex = this.#text.slice(this.at + 1, this.at + 1 + digits);
      const code = /^[\da-f]+$/i.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
      if (hex.length !== digits || !(code <= 0x10_ffff)) throw new SnbtError("a bad escape");
      this.at += digits;
      return String.fromCodePoint(code);
    }
    const named = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", s: " " }[char];
    return named ?? char;
  }

  #bare(): string {
    const [word = ""] = /^[\w.+-]*/.exec(this.#text.slice(this.at, this.at + 512)) ?? [];
    if (word === "") throw new SnbtError(`nothing to read at ${this.at}`);
    this.at += word.length;
    return word;
  }

  #expect(char: string): void {
    if (!this.#accept(char)) throw new SnbtError(`expected ${char} at ${this.at}`);
  }

  #accept(char: string): boolean {
    this.#space();
    if (this.#text.charAt(this.at) !== char) return false;
    this.at += 1;
    return true;
  }

  #space(): void {
    while (/^\s$/.test(this.#text.charAt(this.at))) this.at += 1;
  }
}

function scalar(word: string): Snbt {
  if (word === "true") return 1;
  if (word === "false") return 0;
  if (numeric.test(word)) return Number(word);
  const body = word.slice(0, -1);
  const suffix = word.slice(-1).toLowerCase();
  if (suffix === "l" && /^[-+]?\d+$/.test(body)) {
    const long = BigInt(body);
    return Number.isSafeInteger(Number(long)) ? Number(long) : long;
  }
  if ("bsfd".includes(suffix) && numeric.test(body)) return Number(body);
  return word;
}
