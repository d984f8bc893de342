import {
  attempt,
  type BegunJob,
  type EventsPort,
  type JobsPort,
  type Provider,
  type ProviderPort,
  requestAllowed,
} from "@ccbridge/registry";

export interface Tracer {
  readonly id: string;
  readonly client: string;
  reaches(key: string): void;
  found(provider: Pick<Provider, "key" | "name">): void;
  job(id: string): void;
}

export function tracedPort(port: ProviderPort, tracer: Tracer): ProviderPort {
  const { id: trace } = tracer;
  return {
    scope: port.scope,
    sees: port.sees,
    unseen: () => port.unseen?.(),
    get: port.get,
    list: port.list,
    offered: port.offered,
    changes: port.changes,
    jobs: tracedJobs(port.jobs, tracer),
    // Few calls need it, and it is made for each.
    get events() {
      return tracedEvents(port.events, tracer);
    },
    async find(selector) {
      const found = await port.find(selector);
      tracer.found(found);
      return found;
    },
    request(key, method, params, { timeoutMs, signal, cancelGraceMs, onProgress }) {
      return attempt(() => {
        tracer.reaches(key);
        const traced = { timeoutMs, signal, cancelGraceMs, trace, onProgress };
        return port.request(key, method, params, traced);
      });
    },
    requestAll(keys, method, { timeoutMs, signal }) {
      const refusal = (key: string) => {
        try {
          tracer.reaches(key);
          return undefined;
        } catch (error) {
          return error as Error;
        }
      };
      return requestAllowed(keys, refusal, (allowed) =>
        port.requestAll(allowed, method, { timeoutMs, signal, trace }),
      );
    },
    async watch(key, subject, listener) {
      tracer.reaches(key);
      return port.watch(key, subject, listener);
    },
  };
}

function tracedJobs(jobs: JobsPort, tracer: Tracer): JobsPort {
  const { id: trace, client } = tracer;
  return {
    get: jobs.get,
    list: jobs.list,
    wait: jobs.wait,
    read: jobs.read,
    async run(key, { method, params, summary, isProgram, onFailure, timeoutMs }, range, run) {
      tracer.reaches(key);
      const order = { method, params, summary, isProgram, onFailure, timeoutMs, trace, client };
      const begun = (job: BegunJob) => {
        tracer.found(job.provider);
        tracer.job(job.id);
        run.begun?.(job);
      };
      const reading = await jobs.run(key, order, range, { ...run, begun });
      tracer.found(reading.job.provider);
      tracer.job(reading.job.id);
      return reading;
    },
    async stop(id) {
      const job = await jobs.get(id);
      if (job === undefined) return undefined;
      tracer.reaches(job.key);
      tracer.found(job.provider);
      tracer.job(id);
      return jobs.stop(id);
    },
  };
}

function tracedEvents(events: EventsPort, tracer: Tracer): EventsPort {
  return {
    find: events.find,
    get: events.get,
    read: events.read,
    wait: events.wait,
    release: events.release,
    async watch(key, change, options) {
      tracer.reaches(key);
      return events.watch(key, change, { ...options, trace: tracer.id });
    },
  };
}
