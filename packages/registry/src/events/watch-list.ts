import { type EventWatch, MAX_EVENT_WATCHES } from "@ccbridge/protocol";
import { LinkError, LinkErrorCode } from "../errors.js";
import { sameWatch } from "./event-log.js";
import type { ClientWatches } from "./event-store.js";

export type WatchMode = "set" | "add" | "remove";

export function changeWatches(
  watches: readonly EventWatch[],
  named: readonly EventWatch[],
  mode: WatchMode,
): EventWatch[] {
  if (mode === "remove") return without(watches, named);
  const result: EventWatch[] = mode === "set" ? [] : [...watches];
  for (const watch of named) {
    if (!result.some((other) => sameWatch(watch, other))) result.push(watch);
  }
  return result;
}

function without(watches: readonly EventWatch[], others: readonly EventWatch[]): EventWatch[] {
  return watches.filter((watch) => !others.some((other) => sameWatch(watch, other)));
}

function unite(lists: Iterable<readonly EventWatch[]>): EventWatch[] {
  return [...lists].reduce<EventWatch[]>((all, list) => changeWatches(all, list, "add"), []);
}

const none: readonly EventWatch[] = [];

export class WatchLists {
  readonly #byClient: Map<string, readonly EventWatch[]>;
  readonly #changed: ((lists: ClientWatches) => void) | undefined;
  readonly #absentClients: Set<string>;
  #all: readonly EventWatch[] = [];

  constructor(lists: ClientWatches = [], changed?: (lists: ClientWatches) => void) {
    this.#byClient = new Map(lists);
    this.#absentClients = new Set(this.#byClient.keys());
    this.#all = unite(this.#byClient.values());
    this.#changed = changed;
  }

  get all(): readonly EventWatch[] {
    return this.#all;
  }

  get lists(): ClientWatches {
    return [...this.#byClient];
  }

  of(client: string): readonly EventWatch[] {
    this.#absentClients.delete(client);
    return this.#byClient.get(client) ?? none;
  }

  besides(client: string): readonly EventWatch[] {
    return without(this.#all, this.of(client));
  }

  /** Throws a {@link LinkError} when what one client wants is too much for the provider. */
  check(client: string, watches: readonly EventWatch[]): void {
    const lists = new Map(this.#byClient);
    lists.delete(client);
    const theirLists = unite(lists.values());
    const { length } = changeWatches(theirLists, watches, "add");
    if (length <= MAX_EVENT_WATCHES) return;
    const others = length - watches.length;
    const theirs = others === 0 ? "" : `, ${others} of them for other clients`;
    throw new LinkError(
      LinkErrorCode.tooManyWatches,
      `That would be ${length} watches on one provider${theirs}, but the limit is ${MAX_EVENT_WATCHES}. Nothing was changed.`,
    );
  }

  set(client: string, watches: readonly EventWatch[]): void {
    if (watches.length === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, watches);
    this.#all = unite(this.#byClient.values());
    this.#changed?.([...this.#byClient]);
  }

  /** Removes what clients of an earlier process wanted, if they have not come back. */
  clearAbsent(): void {
    for (const client of [...this.#absentClients]) this.set(client, []);
    this.#absentClients.clear();
  }

  clear(): void {
    this.#byClient.clear();
    this.#all = [];
    this.#changed?.([]);
  }
}
