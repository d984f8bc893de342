import { inputSchemaProblem, isRecord } from "@ccbridge/protocol";
import { Evaluator } from "./schema/evaluate.js";
import { type ListedSchema, listSchema } from "./schema/list.js";

export interface InputSchema {
  /** As it was offered; arguments are checked against it. */
  readonly full: Readonly<Record<string, unknown>>;
  readonly listed: ListedSchema;
  /** What the listed form cannot say, in words. */
  readonly words: readonly string[];
  readonly isWhole: boolean;
  readonly evaluator: Evaluator;
}

/** An input that cannot be offered to a client, and why. */
export class InputSchemaError extends Error {
  override readonly name = "InputSchemaError";
}

/** Reads the input schema of an offered tool. Throws an {@link InputSchemaError}. */
export function readInputSchema(offered: unknown): InputSchema {
  const problem = inputSchemaProblem(offered);
  if (problem !== undefined) throw new InputSchemaError(problem);
  const full = isRecord(offered) ? offered : {};
  return { full, ...listSchema(full), evaluator: new Evaluator({ ...full, type: "object" }) };
}

/** Equal for two schemas that differ only in the texts that explain them. */
export function signatureOf({ full }: Pick<InputSchema, "full">): string {
  return JSON.stringify(full, (key, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).filter(
      // A property may be called "description"; only a schema's own description is text.
      ([name, each]) => !(key !== "properties" && isExplanation(name) && typeof each === "string"),
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const isExplanation = (name: string) => name === "description" || name === "title";
