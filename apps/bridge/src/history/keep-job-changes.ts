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
import { contentHash, endUndo } from "../calls/change-log.js";
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
    if (said !== undefined) void this.#save(provider, said);
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
      ?.collect?.({ provider, request }, (changes) => this.#save(provider, changes));
  }

  async #save(provider: Provider, changes: readonly JobChange[]): Promise<void> {
    const named = changes.map((change) => ({ id: idOf(provider.key, change), change }));
    const asked = named.filter(({ change }) => change.isOnce !== true).map(({ id }) => id);
    // One may be asked for again: the answer was lost, or this bridge was killed before the provider forgot it.
    const known = await knownOf(this.#history.changes, asked);
    const isNew = ({ id, change }: Named) => !known.has(id) && !isNothing(change);
    await Promise.all(named.filter(isNew).map((each) => this.#saveOne(provider, each)));
  }

  async #saveOne({ key, name }: Provider, { id, change }: Named): Promise<void> {
    const { changes, clean } = this.#history;
    const { what, subject, job, before, after } = change;
    const { jobs } = this.#parts.registry;
    const found = jobs.get(job) ?? (await jobs.stored(job));
    const time = Math.max(
      found?.startedAt ?? 0,
      Math.min(change.time, (found?.endedAt ?? Number.POSITIVE_INFINITY) - 1),
    );
    const isUndo = change.isOnce === true && (await endUndo(changes, { key, what, before, after }));
    if (isUndo) return;
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

interface Named {
  readonly id: string;
  readonly change: JobChange;
}

async function knownOf(changes: ChangeStore, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await changes.find({ ids, limit: ids.length });
  return new Set(found.changes.map(({ id }) => id));
}

function isNothing({ before, after }: JobChange): boolean {
  return before !== null && JSON.stringify(before) === JSON.stringify(after);
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
