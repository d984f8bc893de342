import {
  DeliverPolicy,
  DiscardPolicy,
  type JsMsg,
  jetstream,
  jetstreamManager,
  StorageType,
} from "@nats-io/jetstream";
import type { Connection } from "./connection.js";
import { historySubject } from "./subjects.js";

/** A place in the stream. One that was created later is another stream: NATS has lost the earlier one. */
export interface StreamPlace {
  readonly made: number;
  readonly seq: number;
}

export interface HistoryStreamOptions {
  /** Names this bridge's history, over restarts as long as it is kept in the same file. */
  readonly origin: string;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  /** The last that was received earlier; without it, all that is not older than this. */
  readonly after: StreamPlace | { readonly sinceMs: number };
  /** What another bridge has published. The next is read when this is done. */
  receive(rows: readonly unknown[], place: StreamPlace): Promise<void>;
}

interface Message {
  readonly origin: string;
  readonly rows: readonly unknown[];
}

interface Batch {
  readonly msgID: string;
  readonly data: Uint8Array;
}

/** Rows of a while go in one message. */
const BATCH_MS = 250;
const MAX_MESSAGE_BYTES = 256 * 1_024;
const MAX_ROW_BYTES = 512 * 1_024;
/** Rows that wait while NATS is away; beyond it the oldest are dropped. */
const MAX_WAITING_BYTES = 16 * 1_024 * 1_024;
const RETRY_MS = 2_000;
const ACK_MS = 5_000;

/**
 * What happened on all bridges, in a stream: each publishes its own, and reads that of the others. Rows are published
 * until the stream has acknowledged them; what it has acknowledged is not lost with a bridge.
 */
export class HistoryStream {
  #options: HistoryStreamOptions | undefined;
  #connection: Connection | undefined;
  #names = { stream: "", subject: "" };
  #replicas = 1;
  #waiting: string[] = [];
  #bytes = 0;
  #dropped = 0;
  #sent = 0;
  /** Sent again under the same id until it is acknowledged: one that did arrive is dropped by the server. */
  #batch: Batch | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #reading: { stop(): void } | undefined;
  #after: HistoryStreamOptions["after"] = { sinceMs: 0 };
  #isOpen = false;
  #trouble: string | undefined;
  #isClosed = false;

  /** Why rows of other bridges do not arrive, or undefined. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Rows of this bridge that no other one will see. */
  get dropped(): number {
    return this.#dropped;
  }

  /** What does not work, for people. */
  get notes(): string[] {
    return [
      ...(this.#trouble === undefined ? [] : [`its history is not shared: ${this.#trouble}`]),
      ...(this.#dropped === 0
        ? []
        : [`${this.#dropped} entries of its history are lost to others`]),
    ];
  }

  start(options: HistoryStreamOptions): void {
    this.#options = options;
    this.#after = options.after;
    void this.#run();
  }

  connected(connection: Connection, prefix: string, self: string, replicas: number): void {
    this.#connection = connection;
    this.#names = { stream: `${prefix}_history`, subject: historySubject(prefix, self) };
    this.#replicas = replicas;
    void this.#run();
  }

  /** Connected again: reads on from where it was. */
  relist(): void {
    this.#reading?.stop();
  }

  add(row: unknown): void {
    if (this.#options === undefined || this.#isClosed) return;
    const text = JSON.stringify(row);
    if (text.length > MAX_ROW_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(text);
    this.#bytes += text.length;
    while (this.#bytes > MAX_WAITING_BYTES) {
      this.#bytes -= this.#waiting.shift()?.length ?? 0;
      this.#dropped += 1;
    }
    this.#sendIn(BATCH_MS);
  }

  /** Publishes what waits, if that works at once. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#send();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#reading?.stop();
  }

  #sendIn(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#send(), ms);
    this.#timer.unref?.();
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#batch !== undefined && !this.#isClosed) this.#sendIn(RETRY_MS);
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      this.#batch ??= this.#nextBatch();
      const connection = this.#connection;
      if (this.#batch === undefined || connection?.isUp !== true || !this.#isOpen) return;
      const { subject } = this.#names;
      const { msgID, data } = this.#batch;
      try {
        await jetstream(connection.nats).publish(subject, data, { msgID, timeout: ACK_MS });
      } catch {
        return;
      }
      this.#batch = undefined;
    }
  }

  #nextBatch(): Batch | undefined {
    const { origin } = this.#options ?? {};
    if (origin === undefined || this.#waiting.length === 0) return undefined;
    let bytes = 0;
    const end = this.#waiting.findIndex((text) => {
      bytes += text.length;
      return bytes > MAX_MESSAGE_BYTES;
    });
    const rows = this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end));
    this.#bytes -= rows.reduce((sum, { length }) => sum + length, 0);
    this.#sent += 1;
    const text = `{"origin":${JSON.stringify(origin)},"rows":[${rows.join(",")}]}`;
    return { msgID: `${this.#names.subject} ${this.#sent}`, data: new TextEncoder().encode(text) };
  }

  /** Reads as long as it works, and begins again when it does not. */
  async #run(): Promise<void> {
    const options = this.#options;
    const connection = this.#connection;
    if (options === undefined || connection === undefined) return;
    while (!this.#isClosed) {
      try {
        if (!connection.isUp) throw new Error("NATS is not reachable");
        await this.#read(options, connection);
      } catch (error) {
        this.#trouble = (error as Error).message;
      }
      if (this.#isClosed) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref?.());
    }
  }

  async #read(options: HistoryStreamOptions, { nats }: Connection): Promise<void> {
    const { stream } = this.#names;
    const made = await this.#open(options, nats);
    const after = this.#after;
    const isSame = "seq" in after && after.made === made;
    const consumer = await jetstream(nats).consumers.get(
      stream,
      isSame
        ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after.seq + 1 }
        : "sinceMs" in after
          ? {
              deliver_policy: DeliverPolicy.StartTime,
              opt_start_time: new Date(Date.now() - after.sinceMs).toISOString(),
            }
          : { deliver_policy: DeliverPolicy.All },
    );
    const messages = await consumer.consume({ max_messages: 64 });
    this.#reading = { stop: () => messages.stop() };
    this.#isOpen = true;
    this.#trouble = undefined;
    this.#sendIn(0);
    try {
      for await (const message of messages) {
        if (this.#isClosed) return;
        await this.#receive(options, message, { made, seq: message.seq });
      }
    } finally {
      this.#isOpen = false;
      this.#reading = undefined;
    }
  }

  async #receive(options: HistoryStreamOptions, message: JsMsg, place: StreamPlace): Promise<void> {
    let received: Message | undefined;
    try {
      received = message.json<Message>();
    } catch {
      // Not of a bridge.
    }
    if (Array.isArray(received?.rows) && received.origin !== options.origin) {
      await options.receive(received.rows, place);
    }
    this.#after = place;
  }

  /** Returns when the stream was created, which is now if there was none. */
  async #open(
    { maxAgeMs, maxBytes }: HistoryStreamOptions,
    nats: Connection["nats"],
  ): Promise<number> {
    const manager = await jetstreamManager(nats);
    const { stream, subject } = this.#names;
    const found = await manager.streams.info(stream).catch(() => undefined);
    const { created } =
      found ??
      (await manager.streams.add({
        name: stream,
        subjects: [`${subject.slice(0, subject.lastIndexOf("."))}.*`],
        storage: StorageType.File,
        num_replicas: this.#replicas,
        discard: DiscardPolicy.Old,
        max_age: maxAgeMs * 1_000_000,
        max_bytes: maxBytes,
      }));
    return Date.parse(created);
  }
}
