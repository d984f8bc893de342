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

/** An argument of a tool that names targets. */
export interface TargetArgument {
  readonly name: string;
  readonly find: FindTargets;
  /** Whether it also names something when it is left out. */
  readonly isNeverAbsent: boolean;
}

export function targetArgumentsOf({ shape }: z.ZodObject): readonly TargetArgument[] {
  return Object.keys(shape).flatMap((name) => {
    let schema: unknown = shape[name];
    let found = targetArguments.get(schema as z.ZodType);
    const isNeverAbsent = found !== undefined;
    while (!found && (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)) {
      schema = schema.unwrap();
      found = targetArguments.get(schema as z.ZodType);
    }
    return found === undefined ? [] : [{ name, find: found.find, isNeverAbsent }];
  });
}

/** What a call acts on, by its parsed arguments. Rejects with the error that the tool itself would give. */
export async function findTargets(
  named: readonly TargetArgument[],
  args: Readonly<Record<string, unknown>>,
  providers: ProviderPort,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const { name, find, isNeverAbsent } of named) {
    if (args[name] === undefined && !isNeverAbsent) continue;
    for (const target of await find(args[name] as never, providers)) {
      if (targets.some(({ key }) => key === target.key)) continue;
      targets.push({ key: target.key, name: target.name });
    }
  }
  return targets;
}
