import { createHash } from "node:crypto";
import type { JobChange, Kinds } from "@ccbridge/mcp-tools";
import {
  type ChangeStore,
  type Job,
  type KeptChange,
  type Provider,
  ProviderFeature,
  type Registry,
} from "@ccbridge/registry";
import { contentHash } from "../calls/change-log.js";
import type { OpenedHistory } from "./open-history.js";

const REQUEST_MS = 20_000;
/** A reader of changes does not wait longer for providers that are slow. */
const SETTLE_MS = 3_000;

interface Parts {
  readonly registry: Registry;
  readonly kinds: Kinds;
}

/** Takes what jobs changed by themselves from the providers that kept it, when a job ends and when one is linked. */
export function keepJobChanges(history: OpenedHistory, parts: Parts): void {
  const { registry } = parts;
  const collector = new Collector(history, parts);
  registry.changes.subscribe(
    (change) => {
      const { provider } = change;
      if (change.topic === "changed") collector.ended(change.job);
      else if (provider.features.includes(ProviderFeature.kept)) void collector.collect(provider);
    },
    { topics: ["changed", "linked"] },
  );
  history.changes.settle = () => collector.settle();
}

class Collector {
  readonly #history: Pick<OpenedHistory, "changes" | "clean">;
  readonly #parts: Parts;
  /** One after the other for each provider. */
  readonly #under = new Map<string, Promise<void>>();

  constructor(history: Pick<OpenedHistory, "changes" | "clean">, parts: Parts) {
    this.#history = history;
    this.#parts = parts;
  }

  ended(job: Job): void {
    const { provider, response } = job;
    if (response?.result.kept === true) void this.collect(provider);
    // The call that began another one keeps what it says.
    const isOurs = !job.isRestored && !job.adopted;
    const said = isOurs ? undefined : this.#parts.kinds.get(provider.kind)?.changesOf?.(job);
    for (const change of said ?? []) void this.#save(provider, change);
  }

  /** Never rejects: what could not be taken is asked for at the next time. */
  collect(provider: Provider): Promise<void> {
    const { key } = provider;
    const earlier = this.#under.get(key) ?? Promise.resolve();
    const under = earlier.then(() => this.#take(provider)).catch(() => {});
    this.#under.set(key, under);
    void under.then(() => {
      if (this.#under.get(key) === under) this.#under.delete(key);
    });
    return under;
  }

  /** Takes what is known to be there, and what jobs that still run have changed until now. */
  async settle(): Promise<void> {
    const { registry } = this.#parts;
    const running = registry.jobs.list().filter(({ state }) => state === "running");
    const keys = new Set(running.map(({ owner }) => owner.key));
    for (const key of keys) {
      const session = registry.session(key);
      if (session !== undefined) void this.collect(session.provider);
    }
    if (this.#under.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SETTLE_MS);
    });
    await Promise.race([Promise.all(this.#under.values()), late]);
    clearTimeout(timer);
  }

  async #take(provider: Provider): Promise<void> {
    const { registry, kinds } = this.#parts;
    const session = registry.session(provider.key);
    if (session === undefined) return;
    const request = (method: string, params: unknown) =>
      session.request(method, params, { timeoutMs: REQUEST_MS });
    await kinds
      .get(provider.kind)
      ?.collect?.({ provider, request }, (change) => this.#save(provider, change));
  }

  async #save({ key, name }: Provider, change: JobChange): Promise<void> {
    const { changes, clean } = this.#history;
    const { what, subject, job, before, after } = change;
    if (before !== null && JSON.stringify(before) === JSON.stringify(after)) return;
    const id = idOf(key, change);
    // It was asked for again: the answer was lost, or this bridge was killed before the provider forgot it.
    const { jobs } = this.#parts.registry;
    const isNew = change.isOnce === true || !(await isKnown(changes, id));
    if (!isNew) return;
    const found = jobs.get(job) ?? (await jobs.stored(job));
    const time = Math.max(
      found?.startedAt ?? 0,
      Math.min(change.time, (found?.endedAt ?? Number.POSITIVE_INFINITY) - 1),
    );
    const text = change.content && Buffer.from(change.content).toString("latin1");
    const isSecret = text !== undefined && clean(text) !== text;
    const content = isSecret ? undefined : change.content;
    const kept: KeptChange = {
      ...{ id, time, key, provider: name, what, subject, before, after, job },
      client: found?.client ?? UNKNOWN,
      trace: found?.trace ?? "",
      tool: toolOf(found?.method || undefined),
      content: content === undefined ? null : contentHash(content),
      cannot: isSecret
        ? "what was in the file before has a token of the bridge in it"
        : (change.cannot ?? null),
      ...{ isDone: true, undoes: [], undoneBy: null },
    };
    await changes.save(kept, content);
  }
}

async function isKnown(changes: ChangeStore, id: string): Promise<boolean> {
  return (await changes.find({ ids: [id], limit: 1 })).changes.length > 0;
}

/** Of a job that began before this bridge knew of it: only owners see what it changed. */
const UNKNOWN = "";

const OFFERED = "call-tool";

/** The tool whose rights count. */
function toolOf(method = OFFERED): string {
  return method === OFFERED ? "call-offered-tool" : method;
}

/** The same each time; in order of time, as those of other changes. */
function idOf(key: string, { id, at }: JobChange): string {
  const digest = createHash("sha256").update(`${key} ${id}`).digest();
  return `${at.toString(36)}-${digest.readUInt32BE()}`;
}
