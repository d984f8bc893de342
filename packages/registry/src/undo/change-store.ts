import type { KeptChange, KeptChangeFilter, KeptChangePage } from "./kept-change.js";

/**
 * Where changes are kept. A store that fails reports it by itself, and continues without keeping anything; only `save`
 * rejects, with a LinkError, for a change of another bridge that does not answer.
 */
export interface ChangeStore {
  /** Replaces the one with its id. Resolves once it survives a crash of the process. */
  save(change: KeptChange, content?: Uint8Array): Promise<void>;
  drop(id: string): Promise<void>;
  find(filter: KeptChangeFilter): Promise<KeptChangePage>;
  content(hash: string): Promise<Uint8Array | undefined>;
  /** Resolves once what providers kept by themselves until now is here too, or cannot be got soon. */
  settle?: (() => Promise<void>) | undefined;
}

export const VERSIONS_OF_ONE = 100;
const MAX_CHANGES = 2_000;
const MAX_CONTENT_BYTES = 32 * 1_024 * 1_024;

/** Keeps the last changes in memory, up to a number and a size. */
export class MemoryChangeStore implements ChangeStore {
  /** Oldest first. A change keeps its place when it is replaced. */
  readonly #changes = new Map<string, Placed>();
  /** The ids of the changes of one thing, oldest first. */
  readonly #versions = new Map<string, Set<string>>();
  /** Least recently kept first. */
  readonly #contents = new Map<string, Uint8Array>();
  readonly #maxBytes: number;
  #bytes = 0;
  #places = 0;

  constructor(maxBytes = MAX_CONTENT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  async save(change: KeptChange, content?: Uint8Array): Promise<void> {
    if (content !== undefined && change.content !== null) this.#keep(change.content, content);
    const known = this.#changes.get(change.id);
    if (known !== undefined) {
      known.change = change;
      return;
    }
    this.#changes.set(change.id, { place: this.#places++, change });
    this.#forgetOld(change);
  }

  async drop(id: string): Promise<void> {
    this.#forget(id);
  }

  async find({ limit, before, ...filter }: KeptChangeFilter): Promise<KeptChangePage> {
    const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before);
    const found = this.#candidates(filter)
      .filter(({ place, change }) => place < end && fits(change, filter))
      .sort((a, b) => b.place - a.place);
    const shown = found.slice(0, limit);
    const next = shown.length < found.length ? String(shown.at(-1)?.place) : undefined;
    return { changes: shown.map(({ change }) => change), next };
  }

  async content(hash: string): Promise<Uint8Array | undefined> {
    return this.#contents.get(hash);
  }

  #keep(hash: string, content: Uint8Array): void {
    this.#forgetContent(hash);
    this.#contents.set(hash, content);
    this.#bytes += content.length;
    while (this.#bytes > this.#maxBytes) {
      const [oldest] = this.#contents.keys();
      this.#forgetContent(oldest ?? "");
    }
  }

  #forgetContent(hash: string): void {
    this.#bytes -= this.#contents.get(hash)?.length ?? 0;
    this.#contents.delete(hash);
  }

  #candidates({ ids }: Omit<KeptChangeFilter, "limit">): Placed[] {
    if (ids === undefined) return [...this.#changes.values()];
    return [...new Set(ids)].flatMap((id) => this.#changes.get(id) ?? []);
  }

  #forgetOld(change: KeptChange): void {
    const thing = thingOf(change);
    const versions = this.#versions.get(thing) ?? new Set();
    this.#versions.set(thing, versions.add(change.id));
    if (versions.size > VERSIONS_OF_ONE) this.#forget(first(versions));
    if (this.#changes.size > MAX_CHANGES) this.#forget(first(this.#changes));
  }

  #forget(id: string | undefined): void {
    const found = id === undefined ? undefined : this.#changes.get(id);
    if (found === undefined) return;
    const { change } = found;
    this.#changes.delete(change.id);
    const thing = thingOf(change);
    const versions = this.#versions.get(thing);
    versions?.delete(change.id);
    if (versions?.size === 0) this.#versions.delete(thing);
  }
}

interface Placed {
  readonly place: number;
  change: KeptChange;
}

function thingOf({ key, what, subject }: KeptChange): string {
  return JSON.stringify([key, what, subject]);
}

function first(entries: ReadonlyMap<string, unknown> | ReadonlySet<string>): string | undefined {
  return entries.keys().next().value;
}

function fits(change: KeptChange, filter: Omit<KeptChangeFilter, "limit">): boolean {
  const same = (wanted: unknown, value: unknown) => wanted === undefined || wanted === value;
  const {
    since = 0,
    until = Number.POSITIVE_INFINITY,
    ids,
    keys,
    traces,
    subjectPart = "",
  } = filter;
  return (
    change.time >= since &&
    change.time <= until &&
    ids?.includes(change.id) !== false &&
    keys?.includes(change.key) !== false &&
    traces?.includes(change.trace) !== false &&
    same(filter.client, change.client) &&
    same(filter.trace, change.trace) &&
    same(filter.job, change.job) &&
    same(filter.what, change.what) &&
    same(filter.subject, change.subject) &&
    change.subject.toLowerCase().includes(subjectPart.toLowerCase())
  );
}
