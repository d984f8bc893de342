import {
  annotationsOf,
  type ObjectSchema,
  slimTools,
  type Tool,
  type ToolEntry,
  type ToolSettings,
} from "@ccbridge/mcp-tools";
import { z } from "zod";

/** Claude Code hides tools behind its search unless they ask to be loaded. */
const alwaysLoad = { "anthropic/alwaysLoad": true };

/** A tool as tools/list shows it. Every conversation pays for each byte. */
export function toolEntry(tool: Tool, { structured }: Pick<ToolSettings, "structured">): ToolEntry {
  const { name, title, description, input, output, view } = tool;
  // Directories refuse servers without these three, and models never see them. Only idempotence is left to its default.
  const { idempotentHint, ...hints } = annotationsOf(tool);
  const annotations = {
    ...hints,
    ...(idempotentHint && !hints.readOnlyHint && { idempotentHint }),
  };
  return {
    ...{ name, title, description },
    inputSchema: objectSchema(input, "input"),
    ...(structured && output !== undefined ? { outputSchema: objectSchema(output, "output") } : {}),
    annotations,
    ...(slimTools.includes(tool) ? { _meta: alwaysLoad } : {}),
    // Listed for all clients: some clients show views without saying that they do, and models do not read it.
    ...(view === undefined ? {} : { _meta: { ui: { resourceUri: view }, "ui/resourceUri": view } }),
  };
}

function objectSchema(shape: z.ZodObject, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(shape, {
    target: "draft-7",
    io,
    override: ({ jsonSchema }) => {
      if (io === "input") dropNoise(jsonSchema);
      delete jsonSchema.obvious;
    },
  });
  const schema = rest as ObjectSchema;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if ("hidden" in property) delete schema.properties?.[name];
  }
  return schema;
}

/** Bounds that only a wrong call reaches; its error names them. How much is possible is said: `maximum`, `maxItems`. */
const noise = ["minLength", "maxLength", "minimum", "minItems", "propertyNames", "pattern"];
const emptyDefaults = ["false", "0", '""', "[]", "{}"];

function dropNoise(schema: Record<string, unknown>): void {
  for (const keyword of noise) delete schema[keyword];
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.obvious === true) delete schema.description;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (emptyDefaults.includes(JSON.stringify(schema.default))) delete schema.default;
}
