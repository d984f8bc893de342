import { Budget, stopOnceStarted } from "@ccbridge/registry";
import type {
  ChangeSource,
  FoundResource,
  ReadContext,
  Resource,
  ResourceNews,
} from "../core/resource.js";

const PAUSE_MS = 1_000;
const MAX_PER_SESSION = 256;
const MAX_PER_CLIENT = 1_024;
const MAX_IN_ALL = 16_384;
const MAX_FOLLOWED = 16;
const LIST = Symbol("the list");

export type SubscriptionBudget = Budget<object>;

export function createSubscriptionBudget(): SubscriptionBudget {
  return new Budget({ total: MAX_IN_ALL, perPeer: MAX_PER_CLIENT });
}

export interface SubscriptionsOptions {
  context: ReadContext;
  budget: SubscriptionBudget;
  /** The client in the budget: the same object for all of its sessions. */
  client: object;
  find(uri: string): FoundResource;
  updated(uri: string, news: ReadNews | undefined): void;
  listChanged(): void;
  /** @default 1000 */
  pauseMs?: number;
}

export type ReadNews = () => Promise<ResourceNews>;

interface Subscription {
  readonly stop: () => void;
  readonly pauseMs: number | undefined;
  readonly news: ReadNews | undefined;
}

/**
 * What one client wants to hear about. The first change is announced at once, those of the pause after it
 * together at its end, so that no client misses the last one.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #subscribed = new Map<string, Subscription>();
  readonly #resting = new Map<
    string | symbol,
    { timer: ReturnType<typeof setTimeout>; again: boolean }
  >();
  readonly #stopList: () => void;
  #isClosed = false;
  readonly #followed = new Map<string, Promise<() => void>>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    const { changes } = options.context.providers;
    this.#stopList = stopOnceStarted(
      changes.subscribe(() => this.#announce(LIST), { topics: ["linked", "unlinked"] }),
    );
  }

  get size(): number {
    return this.#subscribed.size;
  }

  /** Follows a resource, even one that does not exist yet. Rejects an address that no template matches. */
  async subscribe(uri: string): Promise<void> {
    const { resource, variables } = this.#options.find(uri);
    if (this.#subscribed.has(uri)) return;
    this.#checkRoom(resource);
    this.#subscribed.set(uri, {
      stop: this.#listen(uri, resource.changedBy?.(variables)),
      pauseMs: resource.announceMs,
      news: resource.news?.(variables, this.#options.context),
    });
    if (resource.follow === undefined) return;
    const changed = () => this.#announce(uri);
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
    const subscription = this.#subscribed.get(uri);
    if (subscription === undefined) return;
    subscription.stop();
    this.#subscribed.delete(uri);
    this.#options.budget.give(this.#options.client, 1);
    this.#followed.get(uri)?.then(
      (stop) => stop(),
      () => {},
    );
    this.#followed.delete(uri);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopList();
    for (const uri of [...this.#subscribed.keys()]) this.unsubscribe(uri);
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  /** Takes room for one more subscription. Throws when there is none. */
  #checkRoom({ follow }: Resource): void {
    const { budget, client } = this.#options;
    if (this.#subscribed.size >= MAX_PER_SESSION) {
      throw new Error(`A session may subscribe to at most ${MAX_PER_SESSION} resources.`);
    }
    if (follow !== undefined && this.#followed.size >= MAX_FOLLOWED) {
      throw new Error(`A session may subscribe to at most ${MAX_FOLLOWED} files and screens.`);
    }
    if (budget.take(client, 1)) return;
    throw new Error(
      budget.held(client) < MAX_PER_CLIENT
        ? `All clients together may subscribe to at most ${MAX_IN_ALL} resources. Try again later.`
        : `The sessions of one client may subscribe to at most ${MAX_PER_CLIENT} resources together. Unsubscribe from some, or close other sessions.`,
    );
  }

  #listen(uri: string, source: ChangeSource | undefined): () => void {
    if (source === undefined) return () => {};
    const { counts, ...filter } = source;
    const { changes } = this.#options.context.providers;
    return stopOnceStarted(
      changes.subscribe((change) => {
        if (counts?.(change) !== false) this.#announce(uri);
      }, filter),
    );
  }

  #announce(what: string | typeof LIST): void {
    // A port may report a change that it sent before it was asked to stop.
    const subscription = typeof what === "string" ? this.#subscribed.get(what) : undefined;
    if (this.#isClosed || (typeof what === "string" && subscription === undefined)) return;
    const resting = this.#resting.get(what);
    if (resting !== undefined) {
      resting.again = true;
      return;
    }
    const pauseMs = subscription?.pauseMs ?? this.#options.pauseMs ?? PAUSE_MS;
    const timer = setTimeout(() => {
      const again = this.#resting.get(what)?.again === true;
      this.#resting.delete(what);
      if (again) this.#announce(what);
    }, pauseMs);
    this.#resting.set(what, { timer, again: false });
    if (typeof what === "string") this.#options.updated(what, subscription?.news);
    else this.#options.listChanged();
  }
}
