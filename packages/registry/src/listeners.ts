type Listener = () => void;

/** Who wants to hear of something. Nearly always it is one, and that needs no table. */
export class Listeners {
  #first: Listener | undefined;
  #others: Set<Listener> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined && this.#others === undefined;
  }

  add(listener: Listener): void {
    if (this.isEmpty) {
      this.#first = listener;
      return;
    }
    this.#others ??= new Set();
    this.#others.add(listener);
  }

  delete(listener: Listener): void {
    if (this.#first === listener) {
      this.#first = undefined;
      return;
    }
    this.#others?.delete(listener);
    if (this.#others?.size === 0) this.#others = undefined;
  }

  /** Calls all of them, in the order in which they came. Each may stop listening. */
  tell(): void {
    const others = this.#others;
    this.#first?.();
    if (others !== undefined) for (const listener of [...others]) listener();
  }
}
