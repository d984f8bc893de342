import type { OfferedTool, ProviderOffer } from "@ccbridge/registry";
import { cutEnd } from "../format/text.js";
import type { BrokenEntry } from "../tool/offered.js";
import {
  type InputSchema,
  InputSchemaError,
  readInputSchema,
  signatureOf,
} from "./input-schema.js";

/** An offered tool's input schema, parsed. */
export interface ReadTool {
  readonly schema: InputSchema;
  readonly signature: string;
}

/** Offers are replaced as a whole, so a parsed schema is valid for as long as its tool object exists. */
const known = new WeakMap<OfferedTool, ReadTool | string>();

/** A tool's input schema, or why the tool cannot be used. */
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

/** The tools of a provider that cannot be used, and why. */
export function brokenOf({ name: provider, tools, broken }: ProviderOffer): BrokenEntry[] {
  const unreadable = tools.flatMap((tool) => {
    const read = readTool(tool);
    return typeof read === "string" ? [{ file: tool.name, problem: read }] : [];
  });
  const missing = tools.flatMap(({ name, missing: needs = [] }) =>
    needs.length === 0
      ? []
      : [
          {
            file: name,
            problem: `it needs capabilities that are not granted: ${needs.join(", ")}`,
          },
        ],
  );
  return [...broken, ...unreadable, ...missing].map(({ file, problem }) => ({
    provider,
    file: cutEnd(file, 120),
    problem: cutEnd(problem, 300),
  }));
}
