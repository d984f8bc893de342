import { compilePattern, type Matcher, PatternError } from "../matcher.js";
import { MAX_COMMAND_LENGTH, ServerErrorCode } from "./constants.js";

// Everything that could end a line or hide one: C0, DEL, C1, the two Unicode separators, and halves of
// surrogate pairs, which no encoding carries.
const control =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function hasControlCharacter(text: string): boolean {
  return control.test(text);
}

export type CommandCheck =
  | { ok: true; command: string }
  | { ok: false; code: typeof ServerErrorCode.invalidCommand; reason: string };

export const suggestedPatterns: readonly string[] = [
  "^say [^\\n\\r]+$",
  "^tp \\w{1,16}( -?\\d+(\\.\\d+)?){3}$",
  "^give \\w{1,16} [a-z0-9_.-]+(:[a-z0-9_./-]+)? \\d{1,4}$",
];

/**
 * The list of allowed commands. A command runs only if a pattern fits all of it, letter by letter; with
 * no patterns nothing runs.
 */
export class CommandPatterns {
  readonly #matchers: readonly Matcher[];
  readonly #maxLength: number;

  /** Throws a {@link PatternError} for a pattern that cannot be used. */
  constructor(patterns: readonly string[], maxLength = MAX_COMMAND_LENGTH) {
    this.#matchers = patterns.map((pattern) => compilePattern(pattern));
    this.#maxLength = Math.min(maxLength, MAX_COMMAND_LENGTH);
  }

  get size(): number {
    return this.#matchers.length;
  }

  /** Checks a command as it would be sent; the answer has it without its leading slash. */
  check(text: string): CommandCheck {
    if (text.length > this.#maxLength) {
      return refused(`The command is longer than ${this.#maxLength} characters.`);
    }
    if (hasControlCharacter(text)) return refused("The command contains a control character.");
    const command = text.startsWith("/") ? text.slice(1) : text;
    if (command === "") return refused("The command is empty.");
    if (this.#matchers.length === 0) return refused("No commands are allowed here.");
    return this.#matchers.some((matcher) => matcher.test(command))
      ? { ok: true, command }
      : refused("The command is not allowed: no pattern fits all of it.");
  }
}

function refused(reason: string): CommandCheck {
  return { ok: false, code: ServerErrorCode.invalidCommand, reason };
}

export { PatternError };
