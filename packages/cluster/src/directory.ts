import { BoundedMap, type ClientWatches, type Provider } from "@ccbridge/registry";
import { type DirectoryEntry, type Epoch, type Member, sameEpoch } from "./entry.js";

export interface Listed extends DirectoryEntry {
  readonly epoch: Epoch;
  readonly revision: number;
}

export interface DirectoryOptions {
  readonly self: string;
  /** A bridge that has not renewed its lease for so long is gone. */
  readonly leaseMs: number;
  /** @default performance.now */
  readonly now?: () => number;
  addressesOf(provider: Provider): readonly string[];
  changed(topic: "linked" | "unlinked" | "state" | "tools", provider: Provider): void;
  /** A provider is linked to another bridge now. */
  arrived(entry: Listed): void;
  /** Members came, went or changed. */
  membersChanged(): void;
  /** A member's lease ended. */
  expired(bridge: string): void;
}

const MAX_LEFT = 65_536;

interface Lease {
  member: Member;
  renewedAt: number;
}

/** The providers of all other bridges, as far as their leases hold. */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #now: () => number;
  readonly #leases = new Map<string, Lease>();
  readonly #entries = new Map<string, Listed>();
  readonly #byBridge = new Map<string, Set<string>>();
  readonly #byAddress = new Map<string, Set<string>>();
  /** What clients watched on providers that left. */
  readonly #watches = new BoundedMap<string, ClientWatches>(MAX_LEFT);
  #sweptAt: number;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#sweptAt = this.#now();
  }

  get(key: string): Listed | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#isVisible(entry) ? entry : undefined;
  }

  *list(kind?: string): Iterable<Listed> {
    for (const entry of this.#entries.values()) {
      if ((kind === undefined || entry.provider.kind === kind) && this.#isVisible(entry))
        yield entry;
    }
  }

  /** Those that are called by an address of their dialect. */
  *at(address: string): Iterable<Listed> {
    for (const key of this.#byAddress.get(address) ?? []) {
      const entry = this.get(key);
      if (entry !== undefined) yield entry;
    }
  }

  /** The events that clients watched on a provider of another bridge. */
  takeWatches(key: string): ClientWatches | undefined {
    const entry = this.#entries.get(key);
    const isElsewhere = entry !== undefined && entry.bridge !== this.#options.self;
    const watches = isElsewhere ? (entry.watches ?? []) : this.#watches.get(key);
    this.#watches.delete(key);
    return watches;
  }

  /** All members whose lease holds, this bridge included. */
  members(): readonly Member[] {
    return [...this.#leases.values()].map(({ member }) => member);
  }

  others(): readonly string[] {
    return [...this.#leases.keys()].filter((id) => id !== this.#options.self);
  }

  member(id: string): Member | undefined {
    return this.#leases.get(id)?.member;
  }

  count(bridge: string): number {
    return this.#byBridge.get(bridge)?.size ?? 0;
  }

  /** Entries of bridges that have no lease. */
  *orphans(): Iterable<[key: string, entry: Listed]> {
    for (const [key, entry] of this.#entries) {
      if (entry.bridge !== this.#options.self && !this.#leases.has(entry.bridge))
        yield [key, entry];
    }
  }

  renew(member: Member): void {
    const { id } = member;
    const known = this.#leases.get(id);
    if (known !== undefined) {
      known.renewedAt = this.#now();
      known.member = member;
    } else {
      this.#leases.set(id, { member, renewedAt: this.#now() });
      this.#eachOf(id, (entry) => {
        this.#options.arrived(entry);
        this.#options.changed("linked", entry.provider);
      });
    }
    this.#options.membersChanged();
  }

  /** A member said goodbye, or its lease ended. */
  drop(id: string): void {
    if (!this.#leases.has(id)) return;
    const held = [...(this.#byBridge.get(id) ?? [])].flatMap((key) => this.get(key) ?? []);
    this.#leases.delete(id);
    if (id !== this.#options.self) {
      for (const { provider } of held) this.#options.changed("unlinked", provider);
    }
    this.#options.expired(id);
    this.#options.membersChanged();
  }

  /**
   * Ends the leases that were not renewed in time. A process that was stopped meanwhile has heard nothing, so time
   * in which it did not look does not count.
   */
  sweep(everyMs: number): void {
    const now = this.#now();
    const stalledMs = Math.max(0, now - this.#sweptAt - 2 * everyMs);
    this.#sweptAt = now;
    for (const [id, lease] of [...this.#leases]) {
      lease.renewedAt += stalledMs;
      if (id !== this.#options.self && now - lease.renewedAt > this.#options.leaseMs) this.drop(id);
    }
  }

  set(entry: Listed): void {
    const { key } = entry.provider;
    const before = this.#entries.get(key);
    const wasVisible = before !== undefined && this.#isVisible(before);
    if (before !== undefined) this.#unindex(key, before);
    this.#entries.set(key, entry);
    this.#index(key, entry);
    // That it is linked here now is reported by the registry.
    if (!this.#isVisible(entry)) return;
    const { changed } = this.#options;
    const isSame =
      wasVisible &&
      sameEpoch(before.epoch, entry.epoch) &&
      JSON.stringify(before.provider) === JSON.stringify(entry.provider);
    if (!isSame) {
      this.#options.arrived(entry);
      changed("linked", entry.provider);
    } else if (before.state !== entry.state) changed("state", entry.provider);
    if (entry.offer !== (before?.offer ?? 0)) changed("tools", entry.provider);
  }

  delete(key: string): void {
    const before = this.#entries.get(key);
    if (before === undefined) return;
    const wasVisible = this.#isVisible(before);
    if (before.bridge !== this.#options.self) this.#watches.set(key, before.watches ?? []);
    this.#entries.delete(key);
    this.#unindex(key, before);
    if (!wasVisible) return;
    if (before.offer !== 0) this.#options.changed("tools", before.provider);
    this.#options.changed("unlinked", before.provider);
  }

  /** After everything was listed again: what was not among it is gone. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of [...this.#entries.keys()]) if (!keys.has(key)) this.delete(key);
  }

  #isVisible({ bridge }: Listed): boolean {
    return bridge !== this.#options.self && this.#leases.has(bridge);
  }

  #eachOf(bridge: string, act: (entry: Listed) => void): void {
    for (const key of [...(this.#byBridge.get(bridge) ?? [])]) {
      const entry = this.get(key);
      if (entry !== undefined) act(entry);
    }
  }

  #index(key: string, { bridge, provider }: Listed): void {
    addTo(this.#byBridge, bridge, key);
    for (const address of this.#options.addressesOf(provider)) {
      addTo(this.#byAddress, address, key);
    }
  }

  #unindex(key: string, { bridge, provider }: Listed): void {
    removeFrom(this.#byBridge, bridge, key);
    for (const address of this.#options.addressesOf(provider)) {
      removeFrom(this.#byAddress, address, key);
    }
  }
}

function addTo(map: Map<string, Set<string>>, name: string, key: string): void {
  map.set(name, (map.get(name) ?? new Set()).add(key));
}

function removeFrom(map: Map<string, Set<string>>, name: string, key: string): void {
  const keys = map.get(name);
  keys?.delete(key);
  if (keys?.size === 0) map.delete(name);
}
