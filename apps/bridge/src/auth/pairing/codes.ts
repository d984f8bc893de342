import { randomInt } from "node:crypto";

/** Letters and digits that nobody takes for one another, also in the game's font. */
const ALPHABET = "ABCDEFGHJKMNPQRTUVWXYZ2346789";
const LENGTH = 6;

/** A code that people can read from a screen and type: `K7M-2QX`. */
export function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${letters.slice(0, 3).join("")}-${letters.slice(3).join("")}`;
}

/** A code as somebody typed it, in the form in which it was shown. */
export function readCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return `${letters.slice(0, 3)}-${letters.slice(3)}`;
}
