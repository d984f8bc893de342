/** Lets go of the oldest thing that it keeps; false when there is none. */
export type Release = () => boolean;

/**
 * One allowance of bytes for everything that is kept for later: answers, output, events. Whoever keeps
 * something says so here. When it is too much, what is finished goes first, the oldest of all; when nothing
 * finished is left, whoever came last makes room by itself.
 */
export class Memory {
  readonly #maxBytes: number;
  readonly #releases: Release[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Names something that can be let go, after what was named before it. */
  releaseBy(release: Release): void {
    this.#releases.push(release);
  }

  /** Takes notice that something grew or shrank. `shrink` is how its owner drops some of it. */
  resize(delta: number, shrink?: () => void): void {
    this.#bytes += delta;
    if (delta <= 0) return;
    while (this.#bytes > this.#maxBytes) {
      if (!this.#releases.some((release) => release())) {
        shrink?.();
        return;
      }
    }
  }
}
