/** A map that drops its oldest entries when it is full. Setting a key again makes its entry the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) {
      const [oldest] = this.keys();
      this.delete(oldest as Key);
    }
    return this;
  }
}
