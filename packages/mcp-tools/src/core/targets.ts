import type { ProviderPort } from "@ccbridge/registry";
import { z } from "zod";

export interface Target {
  readonly key: string;
  readonly name: string;
}

type FindTargets = (value: never, providers: ProviderPort) => Promise<readonly Target[]>;

// The arguments that name providers. A copy that `describe` makes of one names the same. Its types are written
// out because zod's own would take the function apart.
const targetArguments = z.registry() as unknown as {
  add(schema: z.ZodType, how: { readonly find: FindTargets }): void;
  get(schema: z.ZodType): { readonly find: FindTargets } | undefined;
};

/**
 * Marks an argument as naming what a call acts on. A tool gets its targets with the argument, so that none can
 * forget to declare them. Marked after `.optional()`, it also names something when it is left out.
 */
export function namesTargets<Schema extends z.ZodType>(
  schema: Schema,
  find: (value: z.output<Schema>, providers: ProviderPort) => Promise<readonly Target[]>,
): Schema {
  targetArguments.add(schema, { find });
  return schema;
}

/** What a call acts on, by its parsed arguments. Rejects with the error that the tool itself would give. */
export async function findTargets(
  { shape }: z.ZodObject,
  args: Readonly<Record<string, unknown>>,
  providers: ProviderPort,
): Promise<readonly Target[]> {
  const found = new Map<string, Target>();
  for (const name in shape) {
    const find = finderOf(shape[name], args[name] !== undefined);
    for (const target of (await find?.(args[name] as never, providers)) ?? []) {
      found.set(target.key, { key: target.key, name: target.name });
    }
  }
  return [...found.values()];
}

function finderOf(schema: unknown, isGiven: boolean): FindTargets | undefined {
  const found = targetArguments.get(schema as z.ZodType);
  if (found !== undefined) return found.find;
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapper && isGiven ? finderOf(schema.unwrap(), isGiven) : undefined;
}
