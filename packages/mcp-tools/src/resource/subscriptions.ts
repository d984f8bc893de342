import type { PortChange } from "@ccbridge/registry";
import type { FoundResource, LookContext } from "./define.js";

/** How often a resource that changes all the time is announced. */
const PAUSE_MS = 1_000;
/** How many resources one client may follow. */
const MAX_SUBSCRIPTIONS = 256;
/** How many of them may be files and screens, which have to be watched on the computer. */
const MAX_FOLLOWED = 16;
/** Stands for the list of resources, beside their addresses. */
const LIST = Symbol("the list");

export interface SubscriptionsOptions {
  context: LookContext;
  /** The resource at an address; throws if no template matches it. */
  find(uri: string): FoundResource;
  /** Says that a resource changed. */
  updated(uri: string): void;
  /** Says that the list of resources changed. */
  listChanged(): void;
  /** @default 1000 */
  pauseMs?: number;
}

/**
 * What one client wants to hear about. The first change is announced at once, those of the next second
 * together at its end, so that nobody misses the last one.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #found = new Map<string, FoundResource>();
  /** What was announced recently, and whether it has changed since. */
  readonly #resting = new Map<
    string | symbol,
    { timer: ReturnType<typeof setTimeout>; again: boolean }
  >();
  readonly #stop: () => void;
  /** The functions that stop following a resource. */
  readonly #followed = new Map<string, Promise<() => void>>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#stop = options.context.providers.changes.subscribe((change) => this.#onChange(change));
  }

  get size(): number {
    return this.#found.size;
  }

  /** Follows a resource, even one that does not exist yet. Rejects an address that no template matches. */
  async subscribe(uri: string): Promise<void> {
    const found = this.#options.find(uri);
    if (this.#found.has(uri)) return;
    if (this.#found.size >= MAX_SUBSCRIPTIONS) {
      throw new Error(`A client may subscribe to at most ${MAX_SUBSCRIPTIONS} resources.`);
    }
    const { resource, variables } = found;
    if (resource.follow === undefined) {
      this.#found.set(uri, found);
      return;
    }
    if (this.#followed.size >= MAX_FOLLOWED) {
      throw new Error(`A client may subscribe to at most ${MAX_FOLLOWED} files and screens.`);
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
