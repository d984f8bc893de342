import { replaceHidden } from "@ccbridge/protocol";
import { cutLength } from "./text.js";

// How a value that a provider chose appears inside a line of ours. It is a single word without spaces, commas,
// brackets and quotes, or else a JSON string; neither can be taken for our own words. Whole lines of a provider
// are set apart by the tools.

/** A name of the game, a path or an address, such as `minecraft:chest_0`. A colon is only inside it. */
const word = /^(?!.*\p{DI})[\p{L}\p{N}_./@*+~-]+(?::[\p{L}\p{N}_./@*+~-]+)*$/u;

const plainLabel = /^(?!.*\p{DI})[\p{L}\p{N} _.-]+$/u;

/** The longest value in a line, unless a caller knows better: as long as a label may be. */
const MAX_LENGTH = 128;

/** A value from a provider inside a line: the value if it is a single word, otherwise a JSON string. */
export function inline(text: string, maxLength: number = MAX_LENGTH): string {
  return text.length <= maxLength && word.test(text) ? text : quoted(text, maxLength);
}

export function quoted(text: string, maxLength: number = MAX_LENGTH): string {
  let head = cutLength(text, maxLength);
  let json = toJson(head);
  while (json.length > maxLength + 2 && head.length > 1) {
    head = cutLength(head, Math.max(1, Math.floor((head.length * maxLength) / json.length)));
    json = toJson(head);
  }
  return head.length < text.length ? `${json}...` : json;
}

/** JSON in which everything can be seen: what hides text is escaped. */
export function toJson(value: unknown, indent?: number): string {
  return replaceHidden(JSON.stringify(value, undefined, indent) ?? "null", escaped);
}

/** A computer's label behind `Label: `; `null` if it has none. */
export function labelText(label: string | null): string {
  if (label === null) return "null";
  return plainLabel.test(label) ? label : quoted(label);
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
