import { copyString } from "../link/bounds.js";

/** The beginning of a text, as a copy that never ends in half a character. It is cleaned where it leaves the bridge. */
export function cutText(text: string, maxLength: number): string {
  return copyString(text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, ""));
}
