import type { FastifyInstance } from "fastify";
import type { TokenHook } from "../../auth/credentials.js";
import type { Numbers } from "./counters.js";
import type { Metrics, MetricsOptions } from "./metrics.js";

export interface MetricsRouteOptions {
  numbers: Numbers;
  onRequest: TokenHook;
  facts: MetricsOptions;
}

export function registerMetrics(app: FastifyInstance, options: MetricsRouteOptions): void {
  const { numbers, onRequest, facts } = options;
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
  app.get("/metrics", { onRequest }, async (_, reply) => {
    metrics ??= load();
    const loaded = await metrics;
    numbers.sample();
    return reply.type(loaded.contentType).send(await loaded.text());
  });
  app.addHook("onClose", async () => (await metrics)?.close());
}

export function countBy<T>(items: Iterable<T>, kindOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  return counts;
}
