/** The IBM PC glyphs of the first 32 characters; some are blank. */
const low = " ☺☻♥♦♣♠●○  ♂♀ ♪♬▶◀↕‼¶░▬↨↑↓→←∟⇔▲▼";

const LEFT_HALF = 0b10101;
const SEXTANTS = 0x1fb00;

export function toUnicode(byte: number): string {
  if (byte < 32) return low[byte] ?? " ";
  if (byte === 127) return "▒";
  if (byte === 128 || byte === 160) return " ";
  if (byte > 128 && byte < 160) {
    const bits = byte - 128;
    if (bits === LEFT_HALF) return "▌";
    return String.fromCodePoint(SEXTANTS + bits - 1 - (bits > LEFT_HALF ? 1 : 0));
  }
  // A soft hyphen would be invisible.
  return byte === 173 ? "-" : String.fromCharCode(byte);
}

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
