import type { BrokenTool, OfferedTool, ProviderOffer } from "@ccbridge/registry";
import type { BrokenEntry } from "../core/offered.js";
import { cutEnd } from "../format/text.js";
import {
  type InputSchema,
  InputSchemaError,
  readInputSchema,
  signatureOf,
} from "./input-schema.js";

export interface ReadTool {
  readonly tool: OfferedTool;
  readonly schema: InputSchema;
  readonly signature: string;
}

interface ReadTools {
  readonly usable: ReadonlyMap<string, ReadTool>;
  readonly unusable: readonly BrokenTool[];
}

/** Offers are replaced as a whole, so parsed schemas are valid for as long as the list of tools exists. */
const known = new WeakMap<readonly OfferedTool[], ReadTools>();

export function readTools({ tools }: ProviderOffer): ReadonlyMap<string, ReadTool> {
  return readOnce(tools).usable;
}

function readOnce(tools: readonly OfferedTool[]): ReadTools {
  const before = known.get(tools);
  if (before !== undefined) return before;
  const usable = new Map<string, ReadTool>();
  const unusable: BrokenTool[] = [];
  for (const tool of tools) {
    try {
      const schema = readInputSchema(tool.inputSchema);
      usable.set(tool.name, { tool, schema, signature: signatureOf(schema) });
    } catch (error) {
      if (!(error instanceof InputSchemaError)) throw error;
      unusable.push({ file: tool.name, problem: error.message });
    }
  }
  const read = { usable, unusable };
  known.set(tools, read);
  return read;
}

/** The tools of a provider that cannot be used, and why. */
export function brokenOf({ name: provider, tools, broken }: ProviderOffer): BrokenEntry[] {
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
  return [...broken, ...readOnce(tools).unusable, ...missing].map(({ file, problem }) => ({
    provider,
    file: cutEnd(file, 120),
    problem: cutEnd(problem, 300),
  }));
}
