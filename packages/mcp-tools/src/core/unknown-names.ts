import { z } from "zod";

export interface UnknownName {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly known: readonly string[];
}

/** Finds the first name inside a value that would be ignored: then a misspelt option would have no effect. */
export function unknownName(
  schema: unknown,
  value: unknown,
  path: readonly (string | number)[] = [],
): UnknownName | undefined {
  const forms = formsOf(schema);
  if (Array.isArray(value)) {
    const list = forms.find((form) => form instanceof z.ZodArray);
    if (list === undefined) return undefined;
    return first(value, (item, index) => unknownName(list.element, item, [...path, index]));
  }
  if (typeof value !== "object" || value === null) return undefined;
  const shapes = forms.filter((form) => form instanceof z.ZodObject).map(({ shape }) => shape);
  if (shapes.length === 0) return undefined;
  return first(Object.entries(value), ([name, item]) => {
    const shape = shapes.find((each) => Object.hasOwn(each, name));
    if (shape !== undefined) return unknownName(shape[name], item, [...path, name]);
    const known = [...new Set(shapes.flatMap((each) => Object.keys(each)))];
    return { path, name, known };
  });
}

export function hasNames(schema: unknown): boolean {
  return formsOf(schema).some((form) =>
    form instanceof z.ZodArray ? hasNames(form.element) : form instanceof z.ZodObject,
  );
}

function formsOf(schema: unknown): unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return formsOf(schema.unwrap());
  }
  return schema instanceof z.ZodUnion ? schema.options.flatMap(formsOf) : [schema];
}

function first<T, R>(items: readonly T[], find: (item: T, index: number) => R | undefined) {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
