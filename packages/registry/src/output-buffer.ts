/** Keeps the newest text of a stream, up to a bound, and counts what it had to drop. */
export class OutputBuffer {
  readonly #maxLength: number;
  #parts: string[] = [];
  #length = 0;
  #dropped = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Characters that were dropped from the beginning. */
  get dropped(): number {
    return this.#dropped;
  }

  push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    // Joining only once twice the bound is held keeps the cost per character constant.
    if (this.#length > 2 * this.#maxLength) this.#trim();
  }

  toString(): string {
    this.#trim();
    return this.#parts.join("");
  }

  #trim(): void {
    const excess = this.#length - this.#maxLength;
    if (excess <= 0) return;
    this.#parts = [this.#parts.join("").slice(excess)];
    this.#length = this.#maxLength;
    this.#dropped += excess;
  }
}
