// What a page's author writes as a schema: what must be taken, what refused, and what costs the tool.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

type Schema = object | boolean | null | undefined;

interface Case {
  schema: Schema;
  good: object[];
  bad: object[];
}

export const property = (schema: object) => ({ type: "object", properties: { v: schema } });
const values = (list: unknown[]) => list.map((v) => ({ v }));

export const cases: Record<string, Case> = {
  many: {
    schema: property({ enum: Array.from({ length: 100 }, (_, i) => `c${i}`) }),
    ...{ good: values(["c0", "c99"]), bad: values(["c100"]) },
  },
  forms: {
    schema: property({ oneOf: Array.from({ length: 40 }, (_, i) => ({ const: i })) }),
    ...{ good: values([0, 39]), bad: values([40]) },
  },
  nothing: {
    schema: property({ enum: [null, "a"] }),
    ...{ good: values([null, "a"]), bad: values(["b"]) },
  },
  missing: { schema: undefined, good: [{}, { any: 1, other: ["x"] }], bad: [] },
  empty: { schema: {}, good: [{}, { any: 1 }], bad: [] },
  object: { schema: { type: "object" }, good: [{}, { any: { deep: true } }], bad: [] },
  either: {
    schema: {
      type: "object",
      properties: { url: { type: "string" }, file: { type: "string" } },
      anyOf: [{ required: ["url"] }, { required: ["file"] }],
    },
    ...{ good: [{ url: "a" }, { file: "b" }], bad: [{}, { url: 1 }] },
  },
  referred: {
    schema: {
      type: "object",
      $defs: { id: { type: "string", pattern: "^[a-z]+$" } },
      properties: { v: { $ref: "#/$defs/id" } },
      required: ["v"],
    },
    ...{ good: values(["abc"]), bad: [...values(["<script>"]), {}] },
  },
  pattern: {
    schema: property({ type: "string", pattern: "^[a-z]+$" }),
    ...{ good: values(["abc"]), bad: values(["<script>"]) },
  },
  format: {
    schema: property({ type: "string", format: "date" }),
    ...{ good: values(["2024-02-29"]), bad: values(["2023-02-29"]) },
  },
  named: {
    schema: {
      type: "object",
      properties: { größe: { type: "number" }, $filter: { type: "string" } },
      required: ["größe"],
    },
    ...{ good: [{ größe: 3, $filter: "a" }], bad: [{ größe: "3" }, { $filter: "a" }] },
  },
};

export const tools = Object.entries(cases).map(([name, { schema }]) => ({
  name,
  description: "Takes something.",
  ...(schema === undefined ? {} : { inputSchema: schema }),
}));

const deep = (depth: number): object => (depth === 0 ? {} : { items: deep(depth - 1) });
export const unusable = [
  { name: "long", inputSchema: property({ description: "x".repeat(40_000) }) },
  { name: "deep", inputSchema: property(deep(40)) },
  { name: "wide", inputSchema: property({ enum: Array.from({ length: 5_000 }, (_, i) => i) }) },
  { name: "list", inputSchema: { type: "array" } },
  { name: "inside", inputSchema: { type: "object", properties: { a: { items: 5 } } } },
];
export const reasons = {
  long: /40\d\d\d characters, where 32768 is the limit/,
  deep: /nested 4\d deep, where 32 is the limit/,
  wide: /5\d\d\d values, where 4000 is the limit/,
  list: /its input must be an object/,
  inside: /not a JSON schema at "properties\/a\/items"/,
};

/** What became of a call: the arguments that arrived, or that they were refused. */
export async function outcome(client: Client, name: string, args: object): Promise<unknown> {
  const failed = "refused";
  try {
    const answer = await client.callTool({ name, arguments: args as Record<string, unknown> });
    const { content, isError } = answer as CallToolResult;
    if (isError === true) return failed;
    return content[0]?.type === "text" ? content[0].text : content;
  } catch {
    return failed;
  }
}
