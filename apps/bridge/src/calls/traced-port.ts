import { attempt, type Provider, type ProviderPort } from "@ccbridge/registry";

export interface Tracer {
  readonly id: string;
  readonly client: string;
  reaches(key: string): void;
  found(provider: Pick<Provider, "key" | "name">): void;
  job(id: string): void;
}

export function tracedPort(port: ProviderPort, tracer: Tracer): ProviderPort {
  const { jobs, events } = port;
  const { id: trace, client } = tracer;
  return {
    ...port,
    async find(selector) {
      const found = await port.find(selector);
      tracer.found(found);
      return found;
    },
    request: (key, method, params, options) =>
      attempt(() => {
        tracer.reaches(key);
        const { timeoutMs, signal, cancelGraceMs } = options;
        return port.request(key, method, params, { timeoutMs, signal, cancelGraceMs, trace });
      }),
    jobs: {
      ...jobs,
      async start(key, order) {
        tracer.reaches(key);
        const job = await jobs.start(key, { ...order, trace, client });
        tracer.found(job.provider);
        tracer.job(job.id);
        return job;
      },
      async stop(id) {
        const job = await jobs.get(id);
        if (job === undefined) return undefined;
        tracer.reaches(job.key);
        tracer.found(job.provider);
        tracer.job(id);
        return jobs.stop(id);
      },
    },
    events: {
      ...events,
      async watch(key, change, options) {
        tracer.reaches(key);
        return events.watch(key, change, { ...options, trace });
      },
    },
    async watch(key, subject, listener) {
      tracer.reaches(key);
      return port.watch(key, subject, listener);
    },
  };
}
