export interface TomlStatement {
  kind: "header" | "key";
  start: number;
  end: number;
  indent: string;
  text: string;
}

/**
 * Finds the statements of a TOML text, so that it can be edited in place. The text must be valid
 * TOML. Comments and blank lines are between statements.
 */
export function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let start = text.startsWith("\ufeff") ? 1 : 0;
  while (start < text.length) {
    const indent = /[ \t]*/y;
    indent.lastIndex = start;
    const space = indent.exec(text)?.[0] ?? "";
    const first = text[start + space.length];
    if (first === undefined) break;
    const isStatement = first !== "#" && first !== "\n" && first !== "\r";
    const end = isStatement ? statementEnd(text, start) : lineEnd(text, start);
    if (isStatement) {
      const kind = first === "[" ? "header" : "key";
      statements.push({ kind, start, end, indent: space, text: text.slice(start, end) });
    }
    start = end;
  }
  return statements;
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found < 0 ? text.length : found + 1;
}

/** The end of the last line of a statement: strings and lists may span lines. */
function statementEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at];
    if (char === "\n" && depth === 0) return at + 1;
    if (char === "#") {
      at = text.indexOf("\n", at);
      if (at < 0) break;
    } else if (char === '"' || char === "'") at = stringEnd(text, at);
    else {
      if (char === "[" || char === "{") depth++;
      if (char === "]" || char === "}") depth--;
      at++;
    }
  }
  return text.length;
}

function stringEnd(text: string, from: number): number {
  const quote = text[from] as string;
  const isLong = text.startsWith(quote.repeat(3), from);
  const close = isLong ? quote.repeat(3) : quote;
  let at = from + close.length;
  while (at < text.length && !text.startsWith(close, at)) {
    at += quote === '"' && text[at] === "\\" ? 2 : 1;
  }
  at += close.length;
  // Up to two more quotes may precede the closing ones and belong to the string.
  while (isLong && text[at] === quote) at++;
  return at;
}
