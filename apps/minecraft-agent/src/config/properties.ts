export function parseProperties(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  // A trailing backslash joins the next line without its indentation.
  const lines = text.replace(/^\ufeff/, "").replace(/(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*/g, "$1");
  for (const raw of lines.split(/\r\n|\n|\r/)) {
    // Only these three count as white space in Java properties.
    const line = raw.replace(/^[ \t\f]+/, "");
    if (line === "" || line.startsWith("#") || line.startsWith("!")) continue;
    const [, key = "", value = ""] =
      /^((?:\\.|[^\\:= \t\f])*)(?:[ \t\f]*[:=][ \t\f]*|[ \t\f]+)?(.*)$/s.exec(line) ?? [];
    entries.set(unescapeText(key), unescapeText(value));
  }
  return entries;
}

function unescapeText(text: string): string {
  const named: Record<string, string> = { n: "\n", r: "\r", t: "\t", f: "\f" };
  return text.replace(/\\(?:u([\da-fA-F]{4})|(.)|$)/gs, (_, hex?: string, char = "") =>
    hex === undefined ? (named[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
