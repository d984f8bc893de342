import type { ObjectSchema } from "@ccbridge/mcp-tools";
import { toolEntry } from "../../src/mcp/handlers/tool-entry.js";

/** Keywords of JSON Schema 2020-12 that no tool of the bridge uses; the servers must list them unchanged. */
const written: Readonly<Record<string, ObjectSchema>> = {
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  },
};

export const fixtureEntry: typeof toolEntry = (tool, settings) => {
  const entry = toolEntry(tool, settings);
  return { ...entry, inputSchema: written[tool.name] ?? entry.inputSchema };
};
