import {
  annotationsOf,
  type ObjectSchema,
  slimTools,
  type Tool,
  type ToolAnnotations,
  type ToolEntry,
  type ToolSettings,
} from "@ccbridge/mcp-tools";
import { z } from "zod";

/** MCP's defaults: hints that need not be sent. */
const assumed: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Claude Code hides tools behind its search unless they ask to be loaded. */
const alwaysLoad = { "anthropic/alwaysLoad": true };

/** A tool as tools/list shows it. Every conversation pays for each byte. */
export function toolEntry(tool: Tool, { structured }: Pick<ToolSettings, "structured">): ToolEntry {
  const { name, title, description, input, output, view } = tool;
  const { readOnlyHint, openWorldHint, ...ofChanges } = annotationsOf(tool);
  // Whether the world is open matters to clients only where something harmless is changed; the other hints
  // have no meaning where nothing is.
  const harmless = !readOnlyHint && !ofChanges.destructiveHint;
  const meant = {
    readOnlyHint,
    ...(harmless ? { openWorldHint } : {}),
    ...(readOnlyHint ? {} : ofChanges),
  };
  const annotations = Object.fromEntries(
    Object.entries(meant).filter(
      ([hint, value]) => value !== assumed[hint as keyof ToolAnnotations],
    ),
  );
  return {
    name,
    // Only for people: a model learns nothing from it that the name does not say.
    ...(structured ? { title } : {}),
    description,
    inputSchema: objectSchema(input, "input"),
    ...(structured && output !== undefined ? { outputSchema: objectSchema(output, "output") } : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
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

/** Bounds that only a wrong call reaches; its error names them. */
const noise = ["minLength", "maxLength", "minItems", "maxItems", "propertyNames", "pattern"];
const bounds = ["minimum", "maximum"];
const emptyDefaults = ["false", "0", '""', "[]", "{}"];

function dropNoise(schema: Record<string, unknown>): void {
  for (const keyword of [...noise, ...bounds]) delete schema[keyword];
  if (schema.obvious === true) delete schema.description;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (emptyDefaults.includes(JSON.stringify(schema.default))) delete schema.default;
}
