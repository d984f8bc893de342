import type { PortChange } from "@ccbridge/registry";
import type { FoundResource, LookContext } from "./define.js";

/** A resource that changes all the time is announced this often. */
const PAUSE_MS = 1_000;
/** Resources that one client may follow. */
const MAX_SUBSCRIPTIONS = 256;
/** How often those are looked at that change without a word, and how many of them there may be. */
const LOOK_MS = 2_000;
const MAX_LOOKED_AT = 16;

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
  /** @default 2000 */
  lookMs?: number;
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
  /** What was seen at the last look; undefined before the first. */
  readonly #seen = new Map<string, string | undefined>();
  #looker: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#stop = options.context.providers.changes.subscribe((change) => this.#onChange(change));
  }

  get size(): number {
    return this.#found.size;
  }

  /** Follows a resource, also one that is not there yet. Throws for an address of no kind. */
  subscribe(uri: string): void {
    if (this.#found.size >= MAX_SUBSCRIPTIONS && !this.#found.has(uri)) {
      throw new Error(`A client may subscribe to ${MAX_SUBSCRIPTIONS} resources at most.`);
    }
    const found = this.#options.find(uri);
    if (found.resource.fingerprint !== undefined && !this.#seen.has(uri)) {
      if (this.#seen.size >= MAX_LOOKED_AT) {
        throw new Error(`A client may subscribe to ${MAX_LOOKED_AT} files and screens at most.`);
      }
      this.#seen.set(uri, undefined);
      this.#looker ??= setInterval(() => void this.#look(), this.#options.lookMs ?? LOOK_MS);
      void this.#look();
    }
    this.#found.set(uri, found);
  }

  unsubscribe(uri: string): void {
    this.#found.delete(uri);
    this.#seen.delete(uri);
    if (this.#seen.size === 0) this.#stopLooking();
  }

  close(): void {
    this.#stop();
    this.#stopLooking();
    this.#found.clear();
    this.#seen.clear();
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  /** Looks at what changes without a word, one after the other: a slow computer is asked once at a time. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    for (const uri of [...this.#seen.keys()]) {
      const { resource, variables } = this.#options.find(uri);
      const now = await resource
        .fingerprint?.(variables, this.#options.context)
        // Not there, not linked, too old: that is a state too.
        .catch((error: Error) => `failed: ${error.message}`);
      if (!this.#seen.has(uri) || now === undefined) continue;
      const before = this.#seen.get(uri);
      this.#seen.set(uri, now);
      if (before !== undefined && before !== now) this.#tell(uri);
    }
    this.#looking = false;
  }

  #stopLooking(): void {
    clearInterval(this.#looker);
    this.#looker = undefined;
  }

  #onChange(change: PortChange): void {
    if (change.topic === "linked" || change.topic === "unlinked") this.#tell("");
    for (const [uri, { resource, variables }] of this.#found) {
      if (resource.isAffectedBy(change, variables)) this.#tell(uri);
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
