import type { Facing, TurtleStep } from "@ccbridge/protocol";
import { printable } from "@ccbridge/registry";
import { quoted } from "../../../format/set-apart.js";
import { cutEnd } from "../../../format/text.js";
import { FacingSchema } from "./turtle-status.js";

type Form =
  | "times"
  | "nothing"
  | "items"
  | "item and items"
  | "slot"
  | "slot or item"
  | "slot and items"
  | "text"
  | "seconds"
  | "place"
  | "facing";

export const MAX_TIMES = 1_000;

/** A turtle's inventory: 16 slots of 64. */
const MAX_ITEMS = 16 * 64;

const directions = ["", "Up", "Down"];
const inEachDirection = (name: string, form: Form): [string, Form][] =>
  directions.map((direction) => [name + direction, form]);

const forms = new Map<string, Form>([
  ["goto", "place"],
  ["face", "facing"],
  ["forward", "times"],
  ["back", "times"],
  ["up", "times"],
  ["down", "times"],
  ["turnLeft", "times"],
  ["turnRight", "times"],
  ...inEachDirection("dig", "nothing"),
  ...inEachDirection("place", "text"),
  ...inEachDirection("drop", "item and items"),
  ...inEachDirection("suck", "items"),
  ...inEachDirection("attack", "nothing"),
  ...inEachDirection("inspect", "nothing"),
  ...inEachDirection("detect", "nothing"),
  ...inEachDirection("compare", "nothing"),
  ["select", "slot or item"],
  ["compareTo", "slot"],
  ["transferTo", "slot and items"],
  ["refuel", "item and items"],
  ["craft", "items"],
  ["equipLeft", "nothing"],
  ["equipRight", "nothing"],
  ["sleep", "seconds"],
]);

const names = new Map([...forms.keys()].map((name) => [name.toLowerCase(), name]));

export const stepNames: readonly string[] = [...forms.keys()];

/** Parses a step such as `forward 5` or `try dig`; returns an error text if it is invalid. */
export function parseStep(written: string): TurtleStep | string {
  const text = printable(written).trim();
  const optional = /^try\s/i.test(text);
  const [name = "", ...words] = text.replace(/^try\s+/i, "").split(/\s+/);
  const op = names.get(name.toLowerCase());
  const form = op === undefined ? undefined : forms.get(op);
  if (op === undefined || form === undefined) {
    return `there is no step ${quoted(name, 40)}. Steps are: ${stepNames.join(", ")}`;
  }
  const step: TurtleStep = { op, text: cutEnd(text, 80), ...(optional ? { optional } : {}) };
  if (form === "text") {
    return words.length === 0 ? step : { ...step, args: [words.join(" ")] };
  }
  if (form === "place" || form === "facing") {
    const args = form === "place" ? placeArgs(words) : facingArgs(words);
    return typeof args === "string" ? args : { ...step, args };
  }
  const [item] = words;
  if ((form === "item and items" || form === "slot or item") && isItem(item)) {
    const [count, ...more] = words.slice(1).map(Number);
    const most = form === "slot or item" ? 0 : 1;
    if (more.length > 0 || words.length - 1 > most || !within(count, 1, MAX_ITEMS)) {
      return `${op} takes the name of an item${most === 0 ? "" : ` and then a number from 1 to ${MAX_ITEMS}`}, as in ${op} diamond${most === 0 ? "" : " 3"}`;
    }
    return { ...step, args: [item.toLowerCase(), ...(count === undefined ? [] : [count])] };
  }
  const numbers = words.map(Number);
  const problem = wrong(form, op, words, numbers);
  if (problem !== undefined) return problem;
  if (form === "times") return numbers[0] === undefined ? step : { ...step, times: numbers[0] };
  return numbers.length === 0 ? step : { ...step, args: numbers };
}

function placeArgs(words: readonly string[]): (number | string)[] | string {
  const parts = words
    .flatMap((word) => word.toLowerCase().split(","))
    .filter((word) => word !== "");
  const at = parts.slice(0, 3).map(Number);
  const [first, second, ...more] = parts.slice(3);
  const facing = isFacing(first) ? first : undefined;
  const dig = facing === undefined ? first : second;
  const extra = facing === undefined ? second : more[0];
  const known = (dig === undefined || dig === "dig") && extra === undefined;
  if (at.length < 3 || !at.every((value) => Number.isSafeInteger(value)) || !known) {
    return "goto needs x y z as whole numbers, then optionally a facing and dig, as in goto 10 64 -3 north dig";
  }
  return [...at, ...(facing === undefined ? [] : [facing]), ...(dig === undefined ? [] : [dig])];
}

function facingArgs([word, ...more]: readonly string[]): string[] | string {
  const facing = word?.toLowerCase();
  return isFacing(facing) && more.length === 0 ? [facing] : "face needs north, east, south or west";
}

const isItem = (word: string | undefined): word is string =>
  word !== undefined && /^[a-z_][\w.-]*(:[\w./-]+)?$/i.test(word);

const isFacing = (word: string | undefined): word is Facing => FacingSchema.safeParse(word).success;

const within = (value: number | undefined, least: number, most: number) =>
  value === undefined || (Number.isInteger(value) && value >= least && value <= most);

function wrong(
  form: Exclude<Form, "text" | "place" | "facing">,
  op: string,
  words: readonly string[],
  [first, second]: readonly number[],
): string | undefined {
  const most = form === "nothing" ? 0 : form === "slot and items" ? 2 : 1;
  if (words.length > most) {
    return most === 0
      ? `${op} takes no number; write it several times, or use rounds`
      : `${op} takes at most ${most} ${most === 1 ? "number" : "numbers"}`;
  }
  switch (form) {
    case "nothing":
      return undefined;
    case "times":
      return within(first, 1, MAX_TIMES)
        ? undefined
        : `${op} takes a number from 1 to ${MAX_TIMES}`;
    case "items":
    case "item and items":
      return within(first, op === "refuel" || op === "craft" ? 0 : 1, 64)
        ? undefined
        : `${op} takes a number of items, at most 64`;
    case "seconds":
      return first !== undefined && first >= 0 && first <= 60
        ? undefined
        : "sleep needs seconds, at most 60";
    case "slot":
    case "slot or item":
    case "slot and items":
      if (first === undefined || !within(first, 1, 16)) {
        return `${op} needs a slot from 1 to 16${form === "slot or item" ? ", or an item such as diamond" : ""}`;
      }
      return within(second, 1, 64) ? undefined : `${op} takes a number of items from 1 to 64`;
  }
}
