/** Forgets the oldest thing that it keeps; false when there is none. */
export type Release = () => boolean;

/**
 * One allowance of bytes for everything that is kept for later: answers, output, events. Each part that keeps
 * something registers it here. When it is too much, what is finished goes first, the oldest of all; when nothing
 * finished is left, the part that grew last makes room itself.
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

  /** Adds something that can be forgotten, after what was added before it. */
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
