import type { Registry } from "@ccbridge/registry";
import type { FastifyInstance } from "fastify";
import type { TokenHook } from "../../auth/credentials.js";
import type { Audit } from "../../calls/audit/audit.js";
import { Numbers } from "./counters.js";
import { countBy, registerMetrics } from "./routes.js";

interface CountedSide {
  readonly app: FastifyInstance;
  readonly require: TokenHook;
  readonly sessions: { readonly size: number };
}

export interface CountedThings {
  registry: Registry;
  audit: Audit;
  version: string;
}

export function countCalls(
  { app, require, sessions }: CountedSide,
  { registry, audit, version }: CountedThings,
): Numbers {
  const numbers = new Numbers({
    levels: () => ({ links: registry.size, sessions: sessions.size }),
  });
  audit.trail.subscribe(({ tool, outcome, durationMs }) => {
    if (outcome !== undefined) numbers.add({ tool, outcome, durationMs: durationMs ?? 0 });
  });
  registerMetrics(app, {
    numbers,
    onRequest: require,
    facts: {
      version,
      links: () => countBy(registry.sessions(), ({ provider }) => provider.kind),
      sessions: () => sessions.size,
      runningJobs: () => registry.jobs.list().filter(({ ended }) => !ended).length,
    },
  });
  return numbers;
}
