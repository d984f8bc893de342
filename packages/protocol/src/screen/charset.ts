/** What the first 32 characters look like: those of the old IBM PC. Some of them show nothing. */
const low = " ☺☻♥♦♣♠●○  ♂♀ ♪♬▶◀↕‼¶░▬↨↑↓→←∟⇔▲▼";

/** The pattern whose left half is set has a character of its own, and is not among the sextants. */
const LEFT_HALF = 0b10101;
const SEXTANTS = 0x1fb00;

/** A byte of ComputerCraft's charset as the Unicode character that looks most like it. */
export function toUnicode(byte: number): string {
  if (byte < 32) return low[byte] ?? " ";
  if (byte === 127) return "▒";
  if (byte === 128 || byte === 160) return " ";
  if (byte > 128 && byte < 160) {
    const bits = byte - 128;
    if (bits === LEFT_HALF) return "▌";
    return String.fromCodePoint(SEXTANTS + bits - 1 - (bits > LEFT_HALF ? 1 : 0));
  }
  // Soft hyphens would vanish where they are shown.
  return byte === 173 ? "-" : String.fromCharCode(byte);
}

/** Whether a character can be typed on a computer: the rest of Unicode is unknown there. */
export function isTypable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 32 && code < 127) ||
    (code > 159 && code < 256)
  );
}
