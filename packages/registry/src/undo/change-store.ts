import type { KeptChange, KeptChangeFilter, KeptChangePage } from "./kept-change.js";

/**
 * Where changes are kept. No function rejects: a store that fails reports it by itself, and continues without
 * keeping anything.
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
  readonly #changes = new Map<string, { readonly place: number; change: KeptChange }>();
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
    this.#changes.delete(id);
  }

  async find({ limit, before, ...filter }: KeptChangeFilter): Promise<KeptChangePage> {
    const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before);
    const found = [...this.#changes.values()]
      .filter(({ place, change }) => place < end && fits(change, filter))
      .reverse();
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

  #forgetOld({ key, what, subject }: KeptChange): void {
    const same = [...this.#changes.values()].filter(
      ({ change }) => change.key === key && change.what === what && change.subject === subject,
    );
    if (same.length > VERSIONS_OF_ONE) this.#changes.delete(same[0]?.change.id ?? "");
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > MAX_CHANGES && oldest !== undefined) this.#changes.delete(oldest);
  }
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
