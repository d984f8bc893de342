import type { Secrets } from "./secrets.js";

/** Redacts secrets in JSON values. Values without secrets are returned unchanged, not copied. */
export class CleanValues {
  readonly #secrets: Secrets;
  #kept = new WeakMap<object, { edition: number; value: object }>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  of<T>(value: T): T {
    return this.#secrets.isEmpty ? value : (this.#clean(value) as T);
  }

  /** Like {@link of}, memoized for objects that are requested often. */
  memoized<T extends object>(value: T): T {
    const { edition } = this.#secrets;
    const known = this.#kept.get(value);
    if (known?.edition === edition) return known.value as T;
    const clean = this.of(value);
    this.#kept.set(value, { edition, value: clean });
    return clean;
  }

  #clean(value: unknown): unknown {
    if (typeof value === "string") return this.#secrets.redact(value);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? this.#cleanList(value) : this.#cleanObject(value);
  }

  #cleanList(list: readonly unknown[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, value] of list.entries()) {
      const clean = this.#clean(value);
      if (clean === value) continue;
      copy ??= [...list];
      copy[index] = clean;
    }
    return copy ?? list;
  }

  #cleanObject(object: object): object {
    const fields = object as Record<string, unknown>;
    const isBytes = fields.encoding === "base64";
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      let clean = this.#clean(value);
      if (isBytes && clean === value && typeof value === "string") clean = this.#cleanBytes(value);
      if (clean === value) continue;
      copy ??= { ...fields };
      copy[name] = clean;
    }
    return copy ?? object;
  }

  #cleanBytes(base64: string): string {
    const bytes = Buffer.from(base64, "base64").toString("latin1");
    const clean = this.#secrets.redact(bytes);
    return clean === bytes ? base64 : Buffer.from(clean, "latin1").toString("base64");
  }
}
