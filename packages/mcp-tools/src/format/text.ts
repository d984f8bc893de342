import { cutLength } from "@ccbridge/registry";

/**
 * The bytes for one part of a result. Clients cut texts themselves from about 12 KB on, in the middle
 * and without saying so, so a whole result stays below that.
 */
export const OUTPUT_BYTES = 7_000;
export const RETURNS_BYTES = 3_500;
/** The length of a whole result, in characters. */
export const ANSWER_LENGTH = 11_000;

/** Cuts a long text at its end. */
export function cutEnd(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${cutLength(text, maxLength - 3)}...`;
}

/** Items in a sentence: `a, b and c`. */
export function list(items: readonly string[], word: "and" | "or"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}

/** A text with a capital first letter, to begin a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
