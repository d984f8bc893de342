import { randomInt } from "node:crypto";

/** No characters that look alike, also in the game's font. */
const ALPHABET = "ABCDEFGHJKMNPQRTUVWXYZ2346789";
const LENGTH = 6;

export function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${letters.slice(0, 3).join("")}-${letters.slice(3).join("")}`;
}

export function readCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return `${letters.slice(0, 3)}-${letters.slice(3)}`;
}
