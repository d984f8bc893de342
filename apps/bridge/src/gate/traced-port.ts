import type {
  JobOrder,
  JobSnapshot,
  JobSummary,
  JobsPort,
  JobWaiting,
  OutputRange,
  Provider,
  ProviderPort,
  ProviderRequestOptions,
  ProviderSelector,
} from "@ccbridge/registry";

/** Takes notice of what a call does. */
export interface Tracer {
  /** Before anything goes to a provider. May throw, and then nothing does. */
  reaches(key: string): void;
  /** A provider that the call is about. */
  found(provider: Pick<Provider, "key" | "name">): void;
  /** A job that it began, or asked about. */
  job(id: string): void;
}

/** The same port, which reports what passes through it. One is made for every call, so it is small. */
export class TracedPort implements ProviderPort {
  readonly jobs: JobsPort;
  readonly #port: ProviderPort;
  readonly #tracer: Tracer;

  constructor(port: ProviderPort, tracer: Tracer) {
    this.#port = port;
    this.#tracer = tracer;
    this.jobs = new TracedJobs(port.jobs, tracer);
  }

  async find(selector: ProviderSelector) {
    const found = await this.#port.find(selector);
    this.#tracer.found(found);
    return found;
  }

  /** Not async: a probe asks a thousand at once, and each would be one more promise to wait for. */
  request(key: string, method: string, params: unknown, options: ProviderRequestOptions) {
    try {
      this.#tracer.reaches(key);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#port.request(key, method, params, options);
  }

  get scope() {
    return this.#port.scope;
  }

  get events() {
    return this.#port.events;
  }

  get offered() {
    return this.#port.offered;
  }

  get changes() {
    return this.#port.changes;
  }

  list(kind?: string) {
    return this.#port.list(kind);
  }

  watch(...following: Parameters<ProviderPort["watch"]>) {
    return this.#port.watch(...following);
  }
}

class TracedJobs implements JobsPort {
  readonly #jobs: JobsPort;
  readonly #tracer: Tracer;

  constructor(jobs: JobsPort, tracer: Tracer) {
    this.#jobs = jobs;
    this.#tracer = tracer;
  }

  async start(key: string, order: JobOrder): Promise<JobSnapshot> {
    this.#tracer.reaches(key);
    const job = await this.#jobs.start(key, order);
    this.#about(job);
    return job;
  }

  async stop(id: string): Promise<JobSnapshot | undefined> {
    const job = await this.#jobs.stop(id);
    if (job !== undefined) this.#about(job);
    return job;
  }

  get(id: string) {
    return this.#jobs.get(id);
  }

  list() {
    return this.#jobs.list();
  }

  wait(id: string, waiting: JobWaiting) {
    return this.#jobs.wait(id, waiting);
  }

  read(id: string, range: OutputRange, waiting?: JobWaiting) {
    return this.#jobs.read(id, range, waiting);
  }

  #about(job: JobSummary): void {
    this.#tracer.found(job.identity);
    this.#tracer.job(job.id);
  }
}
