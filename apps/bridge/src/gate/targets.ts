import type { GatedCall } from "@ccbridge/mcp-tools";
import { type ProviderPort, type ProviderSelector, printable } from "@ccbridge/registry";

/** The target of a call, as far as its arguments show. */
export interface Target {
  readonly name: string;
  /** Undefined when it names nothing that is linked. */
  readonly key: string | undefined;
}

/** The arguments with which tools say which computer they mean. */
const computerArguments = ["computerId", "toComputer"] as const;

/** What a call goes to. Nothing here fails: the call itself will say what is wrong. */
export async function targetsOf({ args, context, offeredBy }: GatedCall): Promise<Target[]> {
  if (offeredBy !== undefined) return [offeredBy];
  const { providers } = context;
  const named = (args ?? {}) as Record<string, unknown>;
  const targets: Target[] = [];
  for (const argument of computerArguments) {
    const selector = named[argument];
    if (typeof selector !== "string" && typeof selector !== "number") continue;
    targets.push(await find(providers, { kind: "computer", ref: selector }));
  }
  const { server, jobId } = named;
  if (typeof server === "string") {
    targets.push(await find(providers, { kind: "minecraft", ref: server }));
  }
  if (typeof jobId === "string") {
    const job = await providers.jobs.get(jobId);
    if (job !== undefined) targets.push(job.identity);
  }
  return targets.map(({ name, key }) => ({ name, key }));
}

async function find(providers: ProviderPort, selector: ProviderSelector): Promise<Target> {
  const unknown = { name: printable(String(selector.ref)).slice(0, 64), key: undefined };
  return providers.find(selector).catch(() => unknown);
}
