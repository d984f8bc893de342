/**
 * Removes comments, blank lines and indentation; strings stay byte for byte. Line breaks between
 * statements stay, so that errors have line numbers.
 */
export function stripLua(source: string): string {
  let out = "";
  let blank = "";
  let at = 0;
  while (at < source.length) {
    const end = endOfToken(source, at);
    const token = source.slice(at, end);
    at = end;
    // A comment separates tokens as white space does.
    if (token.startsWith("--") || /^\s/.test(token)) {
      blank = blank === "\n" || token.includes("\n") ? "\n" : " ";
    } else {
      out += blank + token;
      blank = "";
    }
  }
  return out.trim();
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
