import type { Registry, RegistryChange } from "@ccbridge/registry";
import type { FoundResource } from "./index.js";
import { findResource } from "./index.js";

/** A resource that changes all the time is announced this often. */
const PAUSE_MS = 1_000;
/** Resources that one client may follow. */
const MAX_SUBSCRIPTIONS = 256;

export interface SubscriptionsOptions {
  registry: Registry;
  /** Says that a resource changed. */
  updated(uri: string): void;
  /** Says that there are other resources now. */
  listChanged(): void;
  /** @default 1000 */
  pauseMs?: number;
}

/**
 * What one client wants to hear of. The first change is told at once, those of the next second together
 * at its end: nobody misses the last one.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #found = new Map<string, FoundResource>();
  /** What was told lately, and whether there is more to tell. */
  readonly #resting = new Map<string, { timer: ReturnType<typeof setTimeout>; again: boolean }>();
  readonly #stop: () => void;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#stop = options.registry.changes.subscribe((change) => this.#onChange(change));
  }

  get size(): number {
    return this.#found.size;
  }

  /** Follows a resource, also one that is not there yet. Throws for an address of no kind. */
  subscribe(uri: string): void {
    if (this.#found.size >= MAX_SUBSCRIPTIONS && !this.#found.has(uri)) {
      throw new Error(`A client may subscribe to ${MAX_SUBSCRIPTIONS} resources at most.`);
    }
    this.#found.set(uri, findResource(uri));
  }

  unsubscribe(uri: string): void {
    this.#found.delete(uri);
  }

  close(): void {
    this.#stop();
    this.#found.clear();
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  #onChange(change: RegistryChange): void {
    if (change.topic === "linked" || change.topic === "unlinked") this.#tell("");
    for (const [uri, { resource, variables }] of this.#found) {
      if (resource.touchedBy(change, variables)) this.#tell(uri);
    }
  }

  /** Announces a resource; the empty address stands for the list. */
  #tell(uri: string): void {
    const resting = this.#resting.get(uri);
    if (resting !== undefined) {
      resting.again = true;
      return;
    }
    const timer = setTimeout(() => {
      const again = this.#resting.get(uri)?.again === true;
      this.#resting.delete(uri);
      if (again && (uri === "" || this.#found.has(uri))) this.#tell(uri);
    }, this.#options.pauseMs ?? PAUSE_MS);
    this.#resting.set(uri, { timer, again: false });
    if (uri === "") this.#options.listChanged();
    else this.#options.updated(uri);
  }
}
