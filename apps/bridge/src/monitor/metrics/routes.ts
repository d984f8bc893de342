import type { Registry, Servers } from "@ccbridge/registry";
import type { FastifyInstance } from "fastify";
import type { TokenHook } from "../../auth/credentials.js";
import type { Audit } from "../../calls/audit/audit.js";
import { visibleTo } from "../../calls/caller.js";
import { CallCounters } from "./counters.js";
import type { Metrics, MetricsOptions } from "./metrics.js";

interface CountedSide {
  readonly app: FastifyInstance;
  readonly require: TokenHook;
  readonly sessions: { readonly size: number };
}

export interface CountedThings {
  registry: Registry;
  servers: Servers;
  audit: Audit;
  version: string;
}

export function countCalls(
  { app, require, sessions }: CountedSide,
  { registry, servers, audit, version }: CountedThings,
): CallCounters {
  const numbers = new CallCounters({
    levels: () => ({ links: registry.size, sessions: sessions.size }),
  });
  audit.trail.subscribe(({ tool, outcome, durationMs }) => {
    if (outcome !== undefined) numbers.add({ tool, outcome, durationMs: durationMs ?? 0 });
  });
  registerMetrics(app, {
    numbers,
    servers,
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

interface MetricsRouteOptions {
  numbers: CallCounters;
  servers: Servers;
  onRequest: TokenHook;
  facts: MetricsOptions;
}

function registerMetrics(app: FastifyInstance, options: MetricsRouteOptions): void {
  const { numbers, servers, onRequest, facts } = options;
  let metrics: Promise<Metrics> | undefined;
  const load = async () => {
    const { Metrics } = await import("./metrics.js");
    return new Metrics(facts);
  };
  // Loaded with the first batch: not at the start, and not in a call.
  numbers.onCalls((calls) => {
    if (calls.length === 0) return;
    metrics ??= load();
    void metrics.then((loaded) => loaded.add(calls));
  });
  app.get("/metrics", { onRequest }, async ({ client }, reply) => {
    metrics ??= load();
    const loaded = await metrics;
    numbers.sample();
    const sees = client === null ? undefined : visibleTo(client);
    const shown = servers.traffic().filter(({ server }) => sees?.(server) ?? true);
    return reply.type(loaded.contentType).send(await loaded.text(shown));
  });
  app.addHook("onClose", async () => (await metrics)?.close());
}

function countBy<T>(items: Iterable<T>, kindOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  return counts;
}
