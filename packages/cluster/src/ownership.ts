import type { Bucket } from "./bucket.js";
import type { Directory } from "./directory.js";
import { type DirectoryEntry, type Epoch, entryKey, isNewer } from "./entry.js";

/** The links of this bridge, as ownership needs them. */
export interface LocalLinks {
  keys(): Iterable<string>;
  /** Undefined when it is not linked here. */
  describe(key: string): Omit<DirectoryEntry, "bridge" | "epoch"> | undefined;
  /** Whether the provider itself answers on its link here. */
  probe(key: string): Promise<boolean>;
  /** Closes the link: the provider is linked to another bridge. */
  drop(key: string): void;
}

interface Claim {
  /** Which link it is: a new link of the same provider is claimed again. */
  link: number;
  epoch: Epoch | undefined;
  revision: number;
  /** One write at a time; whether there is more to write. */
  isWriting: boolean;
  isDirty: boolean;
}

interface Seen {
  readonly bridge: string | undefined;
  readonly revision: number;
}

const RETRY_MS = 2_000;
const MAX_WRITES = 64;

/**
 * Writes the providers of this bridge into the directory, and finds out when one has moved. A provider has one socket,
 * so it decides: a bridge writes over the entry of another only while the provider answers it, and drops its link when
 * another bridge has written later.
 */
export class Ownership {
  readonly #self: string;
  readonly #bucket: Bucket;
  readonly #links: LocalLinks;
  readonly #claims = new Map<string, Claim>();
  readonly #seen = new Map<string, Seen>();
  readonly #waiting: (() => void)[] = [];
  #made = 0;
  #writes = 0;
  #isListed = false;

  constructor(self: string, bucket: Bucket, links: LocalLinks) {
    this.#self = self;
    this.#bucket = bucket;
    this.#links = links;
  }

  epochOf(key: string): Epoch | undefined {
    return this.#claims.get(key)?.epoch;
  }

  get owned(): number {
    return this.#claims.size;
  }

  /** How many links are not in the directory yet. */
  get unwritten(): number {
    let count = 0;
    for (const { epoch, isDirty } of this.#claims.values()) if (isDirty || !epoch) count += 1;
    return count;
  }

  /** What does not work, for people. */
  get notes(): string[] {
    const { unwritten } = this;
    return unwritten === 0 ? [] : [`${unwritten} links are not in the directory yet`];
  }

  /** It is linked here now, by a socket that just said hello. */
  linked(key: string): void {
    const earlier = this.#claims.get(key);
    const claim: Claim = {
      link: (earlier?.link ?? 0) + 1,
      epoch: undefined,
      revision: earlier?.revision ?? 0,
      isWriting: earlier?.isWriting ?? false,
      isDirty: true,
    };
    this.#claims.set(key, claim);
    void this.#write(key, true);
  }

  changed(key: string): void {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    claim.isDirty = true;
    void this.#write(key, false);
  }

  async unlinked(key: string): Promise<void> {
    const claim = this.#claims.get(key);
    this.#claims.delete(key);
    if (claim === undefined || claim.revision === 0) return;
    // On a conflict another bridge has it.
    await this.#bucket.remove(entryKey(key), claim.revision).catch(() => {});
  }

  /** The directory says that a bridge has it. Returns whether the link here is older, and was dropped. */
  saw(key: string, bridge: string | undefined, epoch: Epoch, revision: number): boolean {
    const known = this.#seen.get(key);
    if (known === undefined || known.revision < revision) this.#seen.set(key, { bridge, revision });
    const claim = this.#claims.get(key);
    if (claim === undefined) return false;
    if (bridge === undefined) {
      // Others took this bridge for dead and removed what it had.
      if (revision > claim.revision && this.#isListed) this.#reclaim(key, claim);
      return false;
    }
    if (bridge === this.#self || claim.epoch === undefined || !isNewer(epoch, claim.epoch)) {
      return false;
    }
    this.#claims.delete(key);
    this.#links.drop(key);
    return true;
  }

  /** Everything is listed again, after a connection: what is missing of this bridge is written. */
  listed(made: number, present: ReadonlyMap<string, { bridge: string; epoch: Epoch }>): void {
    const isOther = made !== this.#made;
    this.#made = made;
    this.#isListed = true;
    if (isOther) {
      this.#seen.clear();
      for (const claim of this.#claims.values()) Object.assign(claim, { revision: 0 });
    }
    for (const key of this.#links.keys()) {
      const claim = this.#claims.get(key);
      const entry = present.get(key);
      if (claim === undefined) this.linked(key);
      else if (entry?.bridge !== this.#self || isOther) this.#reclaim(key, claim);
      else if (claim.isDirty) void this.#write(key, false);
    }
  }

  /** Removes the entry of a bridge that is gone, unless it changed meanwhile. */
  async clean(key: string, revision: number): Promise<void> {
    await this.#bucket.remove(entryKey(key), revision).catch(() => {});
  }

  #reclaim(key: string, claim: Claim): void {
    claim.epoch = undefined;
    claim.isDirty = true;
    void this.#write(key, false);
  }

  async #write(key: string, isProved: boolean): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined || claim.isWriting || !this.#isListed) return;
    claim.isWriting = true;
    await this.#turn();
    let failed = false;
    try {
      await this.#writeAll(key, isProved);
    } catch {
      failed = true;
    }
    this.#writes -= 1;
    this.#waiting.shift()?.();
    const now = this.#claims.get(key);
    if (now === undefined) return;
    now.isWriting = false;
    now.isDirty ||= failed;
    if (!now.isDirty) return;
    // Without NATS it is written when everything is listed again.
    const retry = () => void this.#write(key, false);
    if (failed) setTimeout(retry, RETRY_MS).unref?.();
    else retry();
  }

  async #writeAll(key: string, proved: boolean): Promise<void> {
    let isProved = proved;
    for (;;) {
      const claim = this.#claims.get(key);
      const view = this.#links.describe(key);
      if (claim === undefined || view === undefined || !claim.isDirty) return;
      const { link, epoch } = claim;
      claim.isDirty = false;
      const seen = this.#seen.get(key);
      const isContested =
        epoch === undefined && seen?.bridge !== undefined && seen.bridge !== this.#self;
      if (isContested && !isProved && !(await this.#prove(key, link))) return;
      const revision = Math.max(claim.revision, seen?.revision ?? 0);
      const entry: DirectoryEntry = { bridge: this.#self, epoch, ...view };
      const written = await this.#bucket.write(entryKey(key), entry, revision);
      const current = this.#claims.get(key);
      if (written === "conflict") {
        if (current !== undefined) current.isDirty = true;
        await this.#lookAgain(key);
        isProved = false;
      } else if (current === undefined) {
        // It left while it was written.
        await this.#bucket.remove(entryKey(key), written);
      } else {
        current.revision = written;
        if (current.link === link) current.epoch ??= { made: this.#made, revision: written };
        if (!this.#seen.has(key) || (this.#seen.get(key)?.revision ?? 0) < written) {
          this.#seen.set(key, { bridge: this.#self, revision: written });
        }
      }
    }
  }

  /** Another bridge has an entry, and which link is older is not known: the one on which the provider answers counts. */
  async #prove(key: string, link: number): Promise<boolean> {
    const isAlive = await this.#links.probe(key);
    const claim = this.#claims.get(key);
    if (claim?.link !== link) {
      if (claim !== undefined) claim.isDirty = true;
      return claim !== undefined;
    }
    if (isAlive) return true;
    this.#claims.delete(key);
    this.#links.drop(key);
    return false;
  }

  async #lookAgain(key: string): Promise<void> {
    const found = await this.#bucket.read(entryKey(key));
    const entry = found?.value as DirectoryEntry | undefined;
    const revision = found?.revision ?? 0;
    this.#seen.set(key, { bridge: entry?.bridge, revision });
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    if (entry?.bridge !== this.#self) {
      // Its own entry was replaced: by a newer link, or by a bridge that took this one for dead.
      const epoch = entry?.epoch ?? { made: this.#made, revision };
      if (entry !== undefined && claim.epoch !== undefined && isNewer(epoch, claim.epoch)) {
        this.#claims.delete(key);
        this.#links.drop(key);
      } else claim.epoch = undefined;
    }
    claim.revision = revision;
  }

  async #turn(): Promise<void> {
    this.#writes += 1;
    if (this.#writes <= MAX_WRITES) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Removes what bridges left behind that ended without a goodbye. A bridge that comes back writes it again. */
export async function removeOrphans(
  directory: Directory,
  ownership: Ownership,
  members: Bucket,
): Promise<void> {
  const dead = new Map<string, boolean>();
  for (const [key, { bridge, revision }] of [...directory.orphans()]) {
    if (!dead.has(bridge)) {
      const lease = await members.read(`m.${bridge}`).catch(() => undefined);
      dead.set(bridge, lease === undefined || lease.value === undefined);
    }
    if (dead.get(bridge)) await ownership.clean(key, revision);
  }
}
