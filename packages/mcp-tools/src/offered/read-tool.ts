import { type OfferedTool, type ProviderOffer, printable } from "@ccbridge/registry";
import { cutEnd, shownName } from "../format/text.js";
import type { BrokenEntry } from "../tool/offered.js";
import {
  type InputSchema,
  InputSchemaError,
  readInputSchema,
  signatureOf,
} from "./input-schema.js";

/** What was understood of an offered tool. */
export interface ReadTool {
  readonly schema: InputSchema;
  readonly signature: string;
}

/** Offers are replaced as a whole, so what was read of a tool stays right for as long as it lives. */
const known = new WeakMap<OfferedTool, ReadTool | string>();

/** What is understood of a tool, or why it cannot be used. */
export function readTool(tool: OfferedTool): ReadTool | string {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const read = readInput(tool);
  known.set(tool, read);
  return read;
}

function readInput({ inputSchema }: OfferedTool): ReadTool | string {
  try {
    const schema = readInputSchema(inputSchema);
    return { schema, signature: signatureOf(schema) };
  } catch (error) {
    if (error instanceof InputSchemaError) return error.message;
    throw error;
  }
}

/** What a provider offers, or tried to, and nobody can use. */
export function brokenOf({ name: provider, tools, broken }: ProviderOffer): BrokenEntry[] {
  const unreadable = tools.flatMap((tool) => {
    const read = readTool(tool);
    return typeof read === "string" ? [{ file: tool.name, problem: read }] : [];
  });
  const missing = tools.flatMap(({ name, missing: needs = [] }) =>
    needs.length === 0
      ? []
      : [{ file: name, problem: `it needs what is not granted: ${needs.join(", ")}` }],
  );
  return [...broken, ...unreadable, ...missing].map(({ file, problem }) => ({
    provider,
    file: shownName(file),
    problem: cutEnd(printable(problem), 300),
  }));
}
