import type { PortChange } from "@ccbridge/registry";
import type { FoundResource, LookContext } from "./define.js";

/** A resource that changes all the time is announced this often. */
const PAUSE_MS = 1_000;
/** Resources that one client may follow. */
const MAX_SUBSCRIPTIONS = 256;
/** How many of them may be of the kind that somebody has to look at. */
const MAX_FOLLOWED = 16;
/** Stands for the list of resources, beside their addresses. */
const LIST = Symbol("the list");

export interface SubscriptionsOptions {
  context: LookContext;
  /** The resource of an address; throws for an address of no kind. */
  find(uri: string): FoundResource;
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
  readonly #resting = new Map<
    string | symbol,
    { timer: ReturnType<typeof setTimeout>; again: boolean }
  >();
  readonly #stop: () => void;
  /** What ends the following of a resource, for those that are followed. */
  readonly #followed = new Map<string, Promise<() => void>>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#stop = options.context.providers.changes.subscribe((change) => this.#onChange(change));
  }

  get size(): number {
    return this.#found.size;
  }

  /** Follows a resource, also one that is not there yet. Rejects an address of no kind. */
  async subscribe(uri: string): Promise<void> {
    const found = this.#options.find(uri);
    if (this.#found.has(uri)) return;
    if (this.#found.size >= MAX_SUBSCRIPTIONS) {
      throw new Error(`A client may subscribe to ${MAX_SUBSCRIPTIONS} resources at most.`);
    }
    const { resource, variables } = found;
    if (resource.follow === undefined) {
      this.#found.set(uri, found);
      return;
    }
    if (this.#followed.size >= MAX_FOLLOWED) {
      throw new Error(`A client may subscribe to ${MAX_FOLLOWED} files and screens at most.`);
    }
    this.#found.set(uri, found);
    const changed = () => this.#tell(uri);
    const following = resource.follow(variables, this.#options.context, changed);
    this.#followed.set(uri, following);
    try {
      await following;
    } catch (error) {
      this.unsubscribe(uri);
      throw error;
    }
  }

  unsubscribe(uri: string): void {
    this.#found.delete(uri);
    this.#followed.get(uri)?.then(
      (stop) => stop(),
      () => {},
    );
    this.#followed.delete(uri);
  }

  close(): void {
    this.#stop();
    for (const uri of [...this.#found.keys()]) this.unsubscribe(uri);
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  #onChange(change: PortChange): void {
    if (change.topic === "linked" || change.topic === "unlinked") this.#tell(LIST);
    for (const [uri, { resource, variables }] of this.#found) {
      if (resource.isAffectedBy(change, variables)) this.#tell(uri);
    }
  }

  #tell(what: string | typeof LIST): void {
    if (typeof what === "string" && !this.#found.has(what)) return;
    const resting = this.#resting.get(what);
    if (resting !== undefined) {
      resting.again = true;
      return;
    }
    const timer = setTimeout(() => {
      const again = this.#resting.get(what)?.again === true;
      this.#resting.delete(what);
      if (again) this.#tell(what);
    }, this.#options.pauseMs ?? PAUSE_MS);
    this.#resting.set(what, { timer, again: false });
    if (typeof what === "string") this.#options.updated(what);
    else this.#options.listChanged();
  }
}
