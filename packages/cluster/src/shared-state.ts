import { Bucket } from "./bucket.js";
import type { Connection } from "./connection.js";

/** Small values that all bridges hold: each bridge learns every change, and on joining what there is. */
export interface SharedListener {
  /** `from` is the bridge that wrote it. */
  set(name: string, value: unknown): void;
  /** All that was there has been reported: what this bridge has beyond it can be written. */
  listed?(): void;
}

interface Section {
  readonly prefix: string;
  readonly listener: SharedListener;
}

/** A bucket for what bridges share: `section.name`, where names are made of letters, digits, `-` and `_`. */
export class SharedState {
  readonly #sections: Section[] = [];
  readonly #values = new Map<string, unknown>();
  /** What this bridge wrote while NATS was away, or is writing. */
  readonly #unsent = new Set<string>();
  #bucket: Bucket | undefined;
  #isListed = false;

  connected(connection: Connection, self: string, name: string, replicas: number): void {
    this.#bucket = new Bucket(
      connection,
      self,
      { name, replicas },
      {
        set: (key, value) => {
          // What was decided here while NATS was away is newer, and is written when all is listed.
          if (this.#unsent.has(key) && !this.#isListed) return;
          this.#values.set(key, value);
          this.#report(key, value);
        },
        deleted: (key) => void this.#values.delete(key),
        listed: () => {
          this.#isListed = true;
          for (const key of [...this.#unsent]) this.#write(key);
          for (const { listener } of this.#sections) listener.listed?.();
        },
        trouble: () => {},
      },
    );
  }

  relist(): void {
    this.#isListed = false;
    this.#bucket?.relist();
  }

  close(): void {
    this.#bucket?.close();
  }

  follow(section: string, listener: SharedListener): void {
    const prefix = `${section}.`;
    this.#sections.push({ prefix, listener });
    for (const [key, value] of this.#values) {
      if (key.startsWith(prefix)) listener.set(key.slice(prefix.length), value);
    }
    if (this.#isListed) listener.listed?.();
  }

  get(section: string, name: string): unknown {
    return this.#values.get(`${section}.${name}`);
  }

  /** Writes for all bridges. Without NATS it is written when this bridge joins again. */
  put(section: string, name: string, value: unknown): void {
    const key = `${section}.${name}`;
    this.#values.set(key, value);
    this.#unsent.add(key);
    this.#write(key);
  }

  #write(key: string): void {
    const value = this.#values.get(key);
    this.#bucket?.put(key, value).then(
      () => {
        if (this.#values.get(key) === value) this.#unsent.delete(key);
      },
      () => {},
    );
  }

  #report(key: string, value: unknown): void {
    for (const { prefix, listener } of this.#sections) {
      if (key.startsWith(prefix)) listener.set(key.slice(prefix.length), value);
    }
  }
}
