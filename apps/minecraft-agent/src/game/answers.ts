import { ServerErrorCode } from "@ccbridge/protocol/minecraft";
import { RequestError } from "../errors.js";
import { parseSnbtAt, type Snbt } from "../snbt/parse.js";

/** Words only: punctuation differs between versions. */
const failures: readonly [RegExp, ServerErrorCode][] = [
  [/^No (?:player|entity) was found/i, ServerErrorCode.playerNotFound],
  [/^That player (?:cannot be found|does not exist)/i, ServerErrorCode.playerNotFound],
  [/^(?:Error: )?Player not found/i, ServerErrorCode.playerNotFound],
  [/^Unknown or incomplete command|^Unknown command/i, ServerErrorCode.invalidCommand],
  [/^Incorrect argument for command/i, ServerErrorCode.invalidCommand],
  [
    /^Unknown (?:item|block|entity|effect|enchantment|dimension|world)/i,
    ServerErrorCode.invalidArgs,
  ],
  [/^(?:Integer|Long|Float|Double) must (?:not )?be/i, ServerErrorCode.invalidArgs],
  [
    /^Invalid position|^Can't give more than|^That position is (?:not loaded|out of)/i,
    ServerErrorCode.invalidArgs,
  ],
  [
    /^Error executing|^An unexpected error occurred|^An internal error occurred/i,
    ServerErrorCode.serverError,
  ],
  [/<--\[HERE\]\s*$/, ServerErrorCode.invalidCommand],
];

export function withoutColours(text: string): string {
  return text.replace(/§./g, "");
}

export function failureOf(answer: string): RequestError | undefined {
  const text = withoutColours(answer).trim();
  const [, code] = failures.find(([pattern]) => pattern.test(text)) ?? [];
  return code === undefined ? undefined : new RequestError(code, text.slice(0, 1_000));
}

export function unexpected(answer: string): RequestError {
  const text = withoutColours(answer).trim().slice(0, 500);
  return (
    failureOf(answer) ??
    new RequestError(ServerErrorCode.serverError, text === "" ? "The server said nothing." : text)
  );
}

const MARKER = " has the following entity data: ";

/** The server concatenates the answers without a separator. */
export function entityData(answer: string): { name: string; data: Snbt }[] {
  const found: { name: string; data: Snbt }[] = [];
  for (let at = 0; ; ) {
    const marker = answer.indexOf(MARKER, at);
    if (marker < 0) return found;
    const { value, end } = parseSnbtAt(answer, marker + MARKER.length);
    found.push({ name: answer.slice(at, marker).trim(), data: value });
    at = end;
  }
}

export function lastInteger(answer: string): number | null {
  const numbers = withoutColours(answer).match(/-?\d+/g);
  return numbers === null ? null : Number(numbers.at(-1));
}

/** A decimal point, because the game shifts whole coordinates by half a block; no exponent. */
export function decimal(value: number): string {
  const text = value.toFixed(6).replace(/0+$/, "");
  const whole = text.endsWith(".") ? `${text}0` : text;
  return whole === "-0.0" ? "0.0" : whole;
}

/** One escape per UTF-16 unit. */
export function toAscii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
