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
      const [[oldest, dropped]] = this as unknown as [[Key, Value]];
      this.delete(oldest);
      this.#onDrop?.(dropped);
    }
    return this;
  }
}
