/** Bytes that were not UTF-8 travel as base64; they are read as characters of the same code. */
export function decodeText(text: string, encoding: "base64" | undefined): string {
  if (encoding === undefined) return text;
  try {
    return atob(text);
  } catch {
    return text;
  }
}
