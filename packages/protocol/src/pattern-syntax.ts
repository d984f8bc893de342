/** A pattern that cannot be used; the message says why and where. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  readonly pattern: string;

  constructor(pattern: string, reason: string) {
    super(`The pattern ${JSON.stringify(pattern.slice(0, 100))} cannot be used: ${reason}.`);
    this.pattern = pattern;
  }
}

export type Syntax =
  | { kind: "character"; accepts(char: string): boolean }
  | { kind: "start" }
  | { kind: "end" }
  | { kind: "word"; negated: boolean }
  | { kind: "sequence"; items: Syntax[] }
  | { kind: "choice"; items: Syntax[] }
  | { kind: "repeat"; item: Syntax; min: number; max: number };

const MAX_LENGTH = 1_000;
const MAX_DEPTH = 50;
/** Bounded repeats are written out, so nested ones multiply. */
const MAX_SIZE = 5_000;

const classes: Record<string, RegExp> = {
  d: /^\d$/u,
  D: /^\D$/u,
  w: /^\w$/u,
  W: /^\W$/u,
  s: /^\s$/u,
  S: /^\S$/u,
};
const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", "0": "\0" };

/**
 * Reads a regular expression of the usual kind: characters, classes, groups, alternatives, repeats and
 * anchors. Look-around and references to groups are refused; no bounded search could follow them. With `unicode`, as
 * JavaScript reads it with the flag `u`: characters are whole, and `\\p{L}` is a class.
 */
export function parsePattern(source: string, unicode = false): Syntax {
  if (source.length > MAX_LENGTH) {
    throw new PatternError(source, `it is longer than ${MAX_LENGTH} characters`);
  }
  try {
    // What JavaScript does not take is not a pattern here either.
    new RegExp(source, unicode ? "u" : "");
  } catch (error) {
    throw new PatternError(source, (error as Error).message);
  }
  const parser = new Parser(source, unicode);
  const syntax = parser.choice(0);
  if (!parser.done) parser.fail("a bracket is not balanced");
  if (sizeOf(syntax) > MAX_SIZE) parser.fail("its repeats make it too large");
  return syntax;
}

function sizeOf(syntax: Syntax): number {
  switch (syntax.kind) {
    case "sequence":
    case "choice":
      return syntax.items.reduce((sum, item) => sum + sizeOf(item), 1);
    case "repeat": {
      const { min, max } = syntax;
      const times = max === Number.POSITIVE_INFINITY ? min + 1 : Math.max(max, 1);
      return 1 + sizeOf(syntax.item) * times;
    }
    default:
      return 1;
  }
}

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  get done(): boolean {
    return this.#at >= this.#source.length;
  }

  choice(depth: number): Syntax {
    if (depth > MAX_DEPTH) this.fail("its groups are nested too deeply");
    const items = [this.#sequence(depth)];
    while (this.#take("|")) items.push(this.#sequence(depth));
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "choice", items };
  }

  fail(reason: string): never {
    throw new PatternError(this.#source, reason);
  }

  #sequence(depth: number): Syntax {
    const items: Syntax[] = [];
    while (!this.done && this.#peek() !== "|" && this.#peek() !== ")") {
      items.push(this.#repeat(this.#atom(depth)));
    }
    return { kind: "sequence", items };
  }

  #repeat(item: Syntax): Syntax {
    const bounds = this.#bounds();
    if (bounds === undefined) return item;
    // Lazy or greedy makes no difference to whether a pattern fits.
    this.#take("?");
    return { kind: "repeat", item, ...bounds };
  }

  #bounds(): { min: number; max: number } | undefined {
    const max = Number.POSITIVE_INFINITY;
    if (this.#take("*")) return { min: 0, max };
    if (this.#take("+")) return { min: 1, max };
    if (this.#take("?")) return { min: 0, max: 1 };
    const braces = /^\{(\d+)(,(\d*))?\}/.exec(this.#source.slice(this.#at));
    if (braces === null) return undefined;
    const [text, least = "", comma, most = ""] = braces;
    this.#at += text.length;
    const min = Number(least);
    return { min, max: comma === undefined ? min : most === "" ? max : Number(most) };
  }

  #atom(depth: number): Syntax {
    const char = this.#next();
    switch (char) {
      case "^":
        return { kind: "start" };
      case "$":
        return { kind: "end" };
      case ".":
        return { kind: "character", accepts: (c) => !/[\n\r\u2028\u2029]/.test(c) };
      case "(":
        return this.#group(depth);
      case "[":
        return this.#characterClass();
      case "\\":
        return this.#escape();
      default:
        return literal(char);
    }
  }

  #group(depth: number): Syntax {
    if (this.#take("?") && !this.#take(":")) {
      const named = /^<[A-Za-z_$][\w$]*>/.exec(this.#source.slice(this.#at));
      if (named === null) this.fail("look-around is not supported");
      this.#at += named[0].length;
    }
    const inner = this.choice(depth + 1);
    if (!this.#take(")")) this.fail("a bracket is not balanced");
    return inner;
  }

  #escape(): Syntax {
    const char = this.#next();
    if (char === "b" || char === "B") return { kind: "word", negated: char === "B" };
    if (/[1-9k]/.test(char)) this.fail("references to groups are not supported");
    if (this.#unicode && (char === "p" || char === "P")) return this.#property(char);
    const known = classes[char];
    if (known !== undefined) return { kind: "character", accepts: (c) => known.test(c) };
    return literal(this.#escaped(char));
  }

  #property(char: string): Syntax {
    const [braces = ""] = /^\{[\w=]+\}/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += braces.length;
    const one = new RegExp(`^\\${char}${braces}$`, "u");
    return { kind: "character", accepts: (each) => one.test(each) };
  }

  #escaped(char: string): string {
    if (char === "u" && this.#unicode) {
      const [text, pair, hex] =
        /^(?:(d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2})|\{?([\da-f]+)\}?)/i.exec(
          this.#source.slice(this.#at),
        ) ?? [];
      if (text === undefined) this.fail("\\u without its digits");
      const isShort = pair === undefined && !text.startsWith("{");
      this.#at += isShort ? 4 : text.length;
      if (pair !== undefined) return JSON.parse(`"\\u${pair}"`);
      return String.fromCodePoint(Number.parseInt(isShort ? text.slice(0, 4) : (hex ?? ""), 16));
    }
    if (char === "x" || char === "u") {
      const digits = char === "x" ? /^[\da-f]{2}/i : /^[\da-f]{4}/i;
      const [hex] = digits.exec(this.#source.slice(this.#at)) ?? [];
      if (hex === undefined) this.fail(`\\${char} without its digits`);
      this.#at += hex.length;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const octal = char === "0" && /\d/.test(this.#peek());
    if (!octal && Object.hasOwn(escapes, char)) return escapes[char] ?? char;
    if (/[A-Za-z0-9]/.test(char)) this.fail(`\\${char} is not supported`);
    return char;
  }

  /** JavaScript's own reading of a class; it looks at one character and so cannot run long. */
  #characterClass(): Syntax {
    const start = this.#at - 1;
    while (this.#peek() !== "]") {
      if (this.#next() === "\\") this.#next();
    }
    this.#at += 1;
    const one = new RegExp(`^${this.#source.slice(start, this.#at)}$`, this.#unicode ? "u" : "");
    return { kind: "character", accepts: (char) => one.test(char) };
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #next(): string {
    if (this.done) this.fail("it ends too early");
    const code = this.#unicode ? this.#source.codePointAt(this.#at) : undefined;
    const char = code === undefined ? this.#source.charAt(this.#at) : String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }
}

function literal(char: string): Syntax {
  return { kind: "character", accepts: (other) => other === char };
}
