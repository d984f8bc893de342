import type {
  EventsPort,
  JobProgress,
  JobReading,
  JobSummary,
  JobsPort,
  JobWaiting,
  ProviderOffer,
  ProviderPort,
} from "@ccbridge/registry";
import { CleanValues } from "./clean-values.js";
import type { OldAgents } from "./old-agents.js";
import type { Secrets } from "./secrets.js";

/**
 * Wraps a port so that the secrets of this bridge are redacted from everything that providers send
 * to clients and the dashboard.
 */
export function cleanPort(
  port: ProviderPort,
  secrets: Secrets,
  oldAgents: OldAgents,
): ProviderPort {
  const values = new CleanValues(secrets);
  return {
    ...port,
    async request(key, method, params, { timeoutMs, signal, cancelGraceMs, trace, onProgress }) {
      const refusal =
        oldAgents.refuse(key, method, params) ?? refuseRedacted(secrets, method, params);
      if (refusal !== undefined) return { ok: false, error: refusal };
      const answer = await port.request(key, method, params, {
        timeoutMs,
        signal,
        cancelGraceMs,
        trace,
        onProgress: onProgress && ((message) => onProgress(values.of(message))),
      });
      return values.of(oldAgents.withoutKeys(key, method, answer));
    },
    async requestAll(keys, method, patience) {
      const answers = await port.requestAll(keys, method, patience);
      return answers.map((answer) => (answer.status === "fulfilled" ? values.of(answer) : answer));
    },
    jobs: cleanJobs(port.jobs, values),
    events: cleanEvents(port.events, values),
    offered: cleanOffers(port.offered, values),
    watch: (key, subject, listener) =>
      port.watch(key, subject, (state) => listener(values.of(state))),
  };
}

/** Writing back a file that was read with a redacted secret would destroy the secret. */
function refuseRedacted(secrets: Secrets, method: string, params: unknown): string | undefined {
  if (method !== "write-file") return undefined;
  const { content } = (params ?? {}) as { content?: unknown };
  if (typeof content !== "string" || !secrets.isRedacted(content)) return undefined;
  return "the content has [secret]*** in it, where the bridge left out one of its secrets; write only the rest, with edit-file";
}

function cleanOffers(
  offered: ProviderPort["offered"],
  values: CleanValues,
): ProviderPort["offered"] {
  const cleanOffer = (offer: ProviderOffer): ProviderOffer => ({
    ...offer,
    tools: values.memoized(offer.tools),
    broken: values.memoized(offer.broken),
  });
  return {
    list: async () => (await offered.list()).map(cleanOffer),
    async get(key) {
      const offer = await offered.get(key);
      return offer && cleanOffer(offer);
    },
  };
}

function cleanJobs(jobs: JobsPort, values: CleanValues): JobsPort {
  /** What a waiting caller knows as the progress must be what the job knows. */
  const originals = new WeakMap<JobProgress, JobProgress>();
  const known = <W extends JobWaiting | undefined>(waiting: W): W =>
    waiting?.progress == null
      ? waiting
      : { ...waiting, progress: originals.get(waiting.progress) ?? waiting.progress };
  const cleanJob = <J extends JobSummary>(job: J): J => {
    const { summary, note, progress, response } = job as JobSummary & { response?: unknown };
    const said = { summary, note, progress, response };
    const cleaned = values.of(said);
    if (cleaned === said) return job;
    if (progress !== undefined && cleaned.progress !== undefined) {
      originals.set(cleaned.progress, progress);
    }
    return { ...job, ...cleaned };
  };
  const cleanReading = ({ job, output }: JobReading): JobReading => ({
    job: cleanJob(job),
    output: values.of(output),
  });
  const ifFound = <J extends JobSummary>(job: J | undefined) => job && cleanJob(job);
  return {
    run: async (key, order, range, run) => cleanReading(await jobs.run(key, order, range, run)),
    get: async (id) => ifFound(await jobs.get(id)),
    list: async () => (await jobs.list()).map(cleanJob),
    stop: async (id) => ifFound(await jobs.stop(id)),
    wait: async (id, waiting) => ifFound(await jobs.wait(id, known(waiting))),
    async read(id, range, waiting) {
      const reading = await jobs.read(id, range, known(waiting));
      return reading && cleanReading(reading);
    },
  };
}

function cleanEvents(events: EventsPort, values: CleanValues): EventsPort {
  return {
    ...events,
    read: async (key, options) => values.of(await events.read(key, options)),
    wait: async (key, wait) => values.of(await events.wait(key, wait)),
    watch: async (key, change, options) => values.of(await events.watch(key, change, options)),
  };
}
