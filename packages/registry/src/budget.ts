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
