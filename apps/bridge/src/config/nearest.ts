import { nearestName } from "@ccbridge/mcp-tools";

/** ` (did you mean X?)` for the word that a mistyped one is closest to, or nothing. */
export function didYouMean(typed: string, words: Iterable<string>, prefix = ""): string {
  const near = nearestName(typed, words);
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`;
}
