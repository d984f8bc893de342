import { isRecord } from "@ccbridge/protocol";
import { cutLength, inline, matchesGlob, printable, toJson } from "@ccbridge/registry";
import { z } from "zod";
import type { AlertFilter } from "./alerts.js";

/** Conditions that all hold, by field or by the number of an argument. */
export const happeningFilter = z
  .record(z.string().min(1).max(64), z.union([z.string().max(256), z.number(), z.boolean()]))
  .refine((filter) => Object.keys(filter).length <= 8, "has at most 8 conditions");

/** Whether all conditions are on arguments, by their number. */
export const isByPlace = (filter: AlertFilter): boolean =>
  Object.keys(filter).every((name) => /^[1-9]\d?$/.test(name));

const MAX_DETAIL = 240;
const MAX_VALUE = 80;

/** Something that happened, as alerts look at it. */
export interface Happening {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Its arguments by field, where its kind knows them better. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

export function meets(filter: AlertFilter, happening: Happening): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const part = partOf(name, happening);
    // Facts are complete: {"left":false} is a side that went off, not one that did not change.
    if (part === undefined && happening.facts !== undefined) return false;
    return fits(wanted, part);
  });
}

function partOf(name: string, { args, facts = {} }: Happening): unknown {
  if (/^\d+$/.test(name)) return args[Number(name) - 1];
  if (Object.hasOwn(facts, name)) return facts[name];
  const fields = fieldsOf(args);
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function fieldsOf([only, ...rest]: readonly unknown[]): Record<string, unknown> | undefined {
  return isRecord(only) && rest.length === 0 ? only : undefined;
}

/** Letters of either case match; true and false also mean on and off. */
function fits(wanted: string | number | boolean, value: unknown): boolean {
  if (typeof wanted === "boolean") {
    return wanted === (value !== undefined && value !== null && value !== false && value !== 0);
  }
  if (typeof wanted === "number") return value === wanted || value === String(wanted);
  const isPlain = ["string", "number", "boolean"].includes(typeof value);
  return isPlain && matchesGlob(wanted.toLowerCase(), String(value).toLowerCase());
}

/** What happened, in a few words on one line. */
export function happeningText({ name, args, facts }: Happening): string {
  const fields = facts ?? fieldsOf(args);
  const parts =
    fields === undefined
      ? args.map(short)
      : Object.entries(fields)
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([field, value]) => `${inline(field)} ${short(value)}`);
  const detail = parts.length === 0 ? "" : ` ${parts.join(", ")}`;
  return cutLength(printable(`${inline(name)}${detail}`), MAX_DETAIL);
}

function short(value: unknown): string {
  if (typeof value === "string") return inline(cutLength(value, MAX_VALUE));
  return cutLength(toJson(value) ?? "nil", MAX_VALUE);
}
