import { JetStreamApiError } from "@nats-io/jetstream";
import { type KV, Kvm, type KvWatchEntry } from "@nats-io/kv";
import type { QueuedIterator } from "@nats-io/transport-node";
import type { Connection } from "./connection.js";

export interface BucketOptions {
  readonly name: string;
  /** Entries that are not written again for so long disappear. @default never */
  readonly ttlMs?: number;
  readonly replicas: number;
}

export interface BucketEvents {
  set(key: string, value: unknown, revision: number): void;
  deleted(key: string, revision: number): void;
  /** Everything that is there will be reported now. `made` is when the bucket was created: an older one is lost. */
  listing?(made: number): void;
  listed(): void;
  trouble(reason: string): void;
}

const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
const MARK = "mark.";
const WRONG_REVISION = new Set([10071, 10164]);

/** A key-value bucket that is followed: listed at the start and after each connection, then change by change. */
export class Bucket {
  readonly #connection: Connection;
  readonly #self: string;
  readonly #options: BucketOptions;
  readonly #events: BucketEvents;
  #kv: KV | undefined;
  #watch: QueuedIterator<KvWatchEntry> | undefined;
  #isClosed = false;
  #edition = 0;
  #wake: () => void = () => {};

  constructor(connection: Connection, self: string, options: BucketOptions, events: BucketEvents) {
    this.#connection = connection;
    this.#self = self;
    this.#options = options;
    this.#events = events;
    void this.#follow();
  }

  /** Lists everything again, because changes may have been missed. */
  relist(): void {
    this.#edition += 1;
    this.#watch?.stop();
    this.#wake();
  }

  /** Writes under the condition that the key still has that revision; 0 for a key that is not there. */
  async write(key: string, value: unknown, revision: number): Promise<number | "conflict"> {
    const kv = this.#bucket();
    try {
      const text = JSON.stringify(value);
      return await (revision === 0 ? kv.create(key, text) : kv.update(key, text, revision));
    } catch (error) {
      return conflictOr(error);
    }
  }

  async put(key: string, value: unknown): Promise<number> {
    return this.#bucket().put(key, JSON.stringify(value));
  }

  async remove(key: string, revision: number): Promise<"done" | "conflict"> {
    try {
      await this.#bucket().delete(key, { previousSeq: revision });
      return "done";
    } catch (error) {
      return conflictOr(error);
    }
  }

  async forget(key: string): Promise<void> {
    await this.#bucket().delete(key);
  }

  async read(key: string): Promise<{ value: unknown; revision: number } | undefined> {
    const entry = await this.#bucket().get(key);
    if (entry === null) return undefined;
    const value = entry.operation === "PUT" ? parse(entry.string()) : undefined;
    return { value, revision: entry.revision };
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.stop();
    this.#wake();
  }

  #bucket(): KV {
    if (this.#kv === undefined || !this.#connection.isUp) throw new Error("NATS is not reachable");
    return this.#kv;
  }

  async #follow(): Promise<void> {
    let backoffMs = MIN_BACKOFF_MS;
    while (!this.#isClosed) {
      const edition = this.#edition;
      try {
        await this.#list();
        backoffMs = MIN_BACKOFF_MS;
      } catch (error) {
        if (this.#isClosed) return;
        this.#events.trouble((error as Error).message);
      }
      // A server that ends watches at once must not be asked in a tight loop.
      if (edition === this.#edition) {
        await this.#pause(backoffMs);
        backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
      } else {
        // Connected again: what failed before that says nothing.
        backoffMs = MIN_BACKOFF_MS;
      }
    }
  }

  async #list(): Promise<void> {
    const { name, ttlMs, replicas } = this.#options;
    const kv = await new Kvm(this.#connection.nats).create(name, {
      history: 1,
      replicas,
      ...(ttlMs === undefined ? {} : { ttl: ttlMs }),
    });
    const { streamInfo } = await kv.status();
    this.#events.listing?.(Date.parse(streamInfo.created));
    this.#kv = kv;
    const watch = await kv.watch();
    this.#watch = watch;
    if (this.#isClosed) return watch.stop();
    // All that was there comes before this.
    const marker = `${MARK}${this.#self}`;
    const mark = kv.put(marker, "{}");
    mark.catch(() => watch.stop());
    let listed = false;
    for await (const entry of watch) {
      if (entry.key.startsWith(MARK)) {
        if (listed || entry.key !== marker || entry.revision < (await mark)) continue;
        listed = true;
        this.#events.listed();
      } else this.#report(entry);
    }
  }

  #report(entry: KvWatchEntry): void {
    const { key, revision, operation } = entry;
    const value = operation === "PUT" ? parse(entry.string()) : undefined;
    if (value === undefined) this.#events.deleted(key, revision);
    else this.#events.set(key, value, revision);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref?.();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function conflictOr(error: unknown): "conflict" {
  if (error instanceof JetStreamApiError && WRONG_REVISION.has(error.code)) return "conflict";
  throw error;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
