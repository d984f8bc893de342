import type { JobSummary, Provider, ProviderPort } from "@ccbridge/registry";

/** Takes notice of what a call does. */
export interface Tracer {
  /** Before anything goes to a provider. May throw, and then nothing does. */
  reaches(key: string): void;
  /** A provider that the call is about. */
  found(provider: Pick<Provider, "key" | "name">): void;
  /** A job that it began, or asked about. */
  job(id: string): void;
}

/** The same port, which tells what passes through it. */
export function tracePort(port: ProviderPort, tracer: Tracer): ProviderPort {
  const about = (job: JobSummary | undefined) => {
    if (job === undefined) return;
    tracer.found(job.identity);
    tracer.job(job.id);
  };
  const { jobs } = port;
  return {
    ...port,
    async find(selector) {
      const found = await port.find(selector);
      tracer.found(found);
      return found;
    },
    async request(key, method, params, options) {
      tracer.reaches(key);
      return port.request(key, method, params, options);
    },
    jobs: {
      ...jobs,
      async start(key, order) {
        tracer.reaches(key);
        const job = await jobs.start(key, order);
        about(job);
        return job;
      },
      async stop(id) {
        const job = await jobs.stop(id);
        about(job);
        return job;
      },
    },
  };
}
