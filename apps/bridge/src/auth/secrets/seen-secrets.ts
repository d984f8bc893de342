import type { SecretSource } from "./secrets.js";

/** The secrets of paired computers. The bridge stores only hashes, so a secret is known after it was sent. */
export class SeenSecrets implements SecretSource {
  edition = 0;
  readonly #secrets = new Map<string, string>();

  get tokens(): readonly string[] {
    return [...this.#secrets.values()];
  }

  /** Sets the secret of a computer, by its key; undefined removes it. */
  readonly note = (key: string, secret: string | undefined): void => {
    if (this.#secrets.get(key) === secret) return;
    this.edition += 1;
    if (secret === undefined) this.#secrets.delete(key);
    else this.#secrets.set(key, secret);
  };
}
