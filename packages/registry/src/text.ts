// Text that comes from a provider is data. What cannot be seen in it can still speak to a model or move a
// terminal: control characters, zero-width and tag characters, marks of direction, fillers.

/** Text on one line: what is invisible, line breaks included, becomes a space. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{DI}\u2028\u2029]+/gu, " ");
}
