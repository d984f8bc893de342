import { isRecord, type JsonSchema, schemaAt } from "@ccbridge/protocol";

export function schemasAt(value: unknown): JsonSchema[] {
  if (!Array.isArray(value)) return [];
  return value.map(schemaAt).filter((schema) => schema !== undefined);
}

export function namedSchemas(value: unknown): [name: string, schema: JsonSchema][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const schema = schemaAt(part);
    return schema === undefined ? [] : [[name, schema]];
  });
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
