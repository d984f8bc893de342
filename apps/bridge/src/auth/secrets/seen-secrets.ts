import type { SecretSource } from "./secrets.js";

/** The secrets of paired computers, which the bridge stores as hashes only: known once they were shown. */
export class SeenSecrets implements SecretSource {
  edition = 0;
  readonly #secrets = new Map<string, string>();

  get tokens(): readonly string[] {
    return [...this.#secrets.values()];
  }

  /** The secret of a computer, by its key; undefined when it has none any more. */
  readonly note = (key: string, secret: string | undefined): void => {
    if (this.#secrets.get(key) === secret) return;
    this.edition += 1;
    if (secret === undefined) this.#secrets.delete(key);
    else this.#secrets.set(key, secret);
  };
}
