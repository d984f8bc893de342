export interface BudgetBounds {
  readonly total: number;
  /** Bytes that one peer may hold. @default the total */
  readonly perPeer?: number | undefined;
}

export class Budget<Peer> {
  readonly #bounds: BudgetBounds;
  readonly #held = new Map<Peer, number>();
  #total = 0;

  constructor(bounds: BudgetBounds) {
    this.#bounds = bounds;
  }

  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#held.size;
  }

  get isOver(): boolean {
    return this.#total > this.#bounds.total;
  }

  held(peer: Peer): number {
    return this.#held.get(peer) ?? 0;
  }

  /** Takes bytes for a peer. Returns false, and takes nothing, if a bound does not allow it. */
  take(peer: Peer, bytes: number): boolean {
    const held = this.held(peer) + bytes;
    if (held > (this.#bounds.perPeer ?? this.#bounds.total)) return false;
    if (this.#total + bytes > this.#bounds.total) return false;
    this.set(peer, held);
    return true;
  }

  give(peer: Peer, bytes: number): void {
    this.set(peer, this.held(peer) - bytes);
  }

  /** Records a measured size, even one beyond the bounds: call {@link shed} afterwards. */
  set(peer: Peer, bytes: number): void {
    this.#total += Math.max(bytes, 0) - this.held(peer);
    if (bytes > 0) this.#held.set(peer, bytes);
    else this.#held.delete(peer);
  }

  release(peer: Peer): void {
    this.set(peer, 0);
  }

  peers(): IterableIterator<[Peer, number]> {
    return this.#held.entries();
  }

  worst(): Peer | undefined {
    let worst: Peer | undefined;
    let most = 0;
    for (const [peer, bytes] of this.#held) {
      if (bytes <= most) continue;
      most = bytes;
      worst = peer;
    }
    return worst;
  }

  shed(drop: (peer: Peer, bytes: number) => void): void {
    while (this.isOver) {
      const peer = this.worst();
      if (peer === undefined) return;
      const bytes = this.held(peer);
      this.release(peer);
      drop(peer, bytes);
    }
  }
}

/** A map that drops its oldest entries when it is full. Setting a key again makes its entry the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  readonly #onDrop: ((value: Value) => void) | undefined;

  constructor(max: number, onDrop?: (value: Value) => void) {
    super();
    this.#max = max;
    this.#onDrop = onDrop;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) {
      for (const [oldest, dropped] of this) {
        this.delete(oldest);
        this.#onDrop?.(dropped);
        break;
      }
    }
    return this;
  }
}

const order = [
  "running-output",
  "old-results",
  "events",
  "finished-output",
  "young-results",
] as const;

export type KeptData = (typeof order)[number];

export type Release = (provider: string) => boolean;

/**
 * The bytes that are kept for later, of all providers together: results, output, events.
 *
 * The total is divided evenly among the providers that keep something; what one keeps beyond its share is on loan.
 * When the total is full, a provider that grows beyond its share drops its own data. One that grows within its
 * share gets its share back from the providers beyond theirs, the largest first, but never a young result; if they
 * have nothing else to give, it drops its own data too. So a provider never loses to another what is within its
 * share, nor a young result, however many others there are.
 */
export class Memory {
  readonly #maxBytes: number;
  readonly #releases = new Map<KeptData, Release>();
  readonly #kept: Budget<string>;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = new Budget({ total: maxBytes });
  }

  get bytes(): number {
    return this.#kept.total;
  }

  bytesOf(provider: string): number {
    return this.#kept.held(provider);
  }

  releaseBy(data: KeptData, release: Release): void {
    this.#releases.set(data, release);
  }

  /** Records that what is kept of a provider grew or shrank, and makes space if that is too much. */
  resize(provider: string, delta: number): void {
    this.#kept.set(provider, this.#kept.held(provider) + delta);
    if (delta <= 0) return;
    while (this.#kept.isOver && this.#makeSpace(provider));
  }

  #makeSpace(provider: string): boolean {
    const share = this.#maxBytes / this.#kept.size;
    if (this.bytesOf(provider) <= share && this.#takeBack(share)) return true;
    return order.some((data) => this.#release(data, provider));
  }

  #takeBack(share: number): boolean {
    const beyond = [...this.#kept.peers()].filter(([, bytes]) => bytes > share);
    beyond.sort(([, a], [, b]) => b - a);
    return beyond.some(([provider]) =>
      order.some((data) => data !== "young-results" && this.#release(data, provider)),
    );
  }

  #release(data: KeptData, provider: string): boolean {
    return this.#releases.get(data)?.(provider) === true;
  }
}
