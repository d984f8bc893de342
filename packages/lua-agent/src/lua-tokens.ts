export interface LuaToken {
  readonly text: string;
  readonly at: number;
  /** White space or a comment. */
  readonly isBlank: boolean;
}

/** Words, strings, blanks and comments, whole; of anything else, one character at a time. */
export function* luaTokens(source: string): Generator<LuaToken> {
  let at = 0;
  while (at < source.length) {
    const end = endOfToken(source, at);
    const text = source.slice(at, end);
    yield { text, at, isBlank: text.startsWith("--") || /^\s/.test(text) };
    at = end;
  }
}

function endOfToken(source: string, at: number): number {
  const rest = source.slice(at);
  if (rest.startsWith("--")) {
    const long = endOfLongBracket(source, at + 2);
    if (long !== undefined) return long;
    const newline = source.indexOf("\n", at);
    return newline < 0 ? source.length : newline;
  }
  const long = endOfLongBracket(source, at);
  if (long !== undefined) return long;
  const quote = source[at];
  if (quote === '"' || quote === "'") {
    let end = at + 1;
    while (end < source.length && source[end] !== quote) end += source[end] === "\\" ? 2 : 1;
    return end + 1;
  }
  const blank = /^\s+/.exec(rest);
  if (blank) return at + blank[0].length;
  const word = /^\w+/.exec(rest);
  return at + (word ? word[0].length : 1);
}

function endOfLongBracket(source: string, at: number): number | undefined {
  const open = /^\[(=*)\[/.exec(source.slice(at, at + 32));
  if (!open) return undefined;
  const close = source.indexOf(`]${open[1]}]`, at + open[0].length);
  if (close < 0) throw new Error("unfinished long bracket");
  return close + open[0].length;
}
