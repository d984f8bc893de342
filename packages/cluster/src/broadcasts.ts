import type { Subscription } from "@nats-io/transport-node";
import type { Connection } from "./connection.js";
import { encode, PieceJoiner, publish } from "./pieces.js";
import { sharedSubject } from "./subjects.js";

interface Broadcast {
  readonly from: string;
  readonly seq: number;
  readonly data?: unknown;
}

export interface TopicListener {
  receive(data: unknown, from: string): void;
  /** Messages of a bridge were lost, or it sent too many at once. */
  gap?(from: string): void;
}

/** What a bridge may say to all others, by topic, in one window of time; more is reported as a gap. */
const WINDOW_MS = 100;
const MAX_IN_WINDOW = 200;

interface Topic {
  seq: number;
  sent: number;
  skipped: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Messages to all bridges, at most once. Each is numbered, so that listeners know when one is missing. */
export class Broadcasts {
  readonly #prefix: string;
  readonly #self: string;
  readonly #topics = new Map<string, Topic>();
  readonly #listeners = new Map<string, Set<TopicListener>>();
  readonly #subscriptions = new Map<string, Subscription>();
  #connection: Connection | undefined;

  constructor(prefix: string, self: string) {
    this.#prefix = prefix;
    this.#self = self;
  }

  connected(connection: Connection): void {
    this.#connection = connection;
    for (const topic of this.#listeners.keys()) this.#subscribe(topic);
  }

  send(name: string, data: unknown): void {
    const topic = this.#topics.get(name) ?? { seq: 0, sent: 0, skipped: false, timer: undefined };
    this.#topics.set(name, topic);
    if (topic.timer === undefined) {
      topic.timer = setTimeout(() => this.#endWindow(name, topic), WINDOW_MS);
      topic.timer.unref?.();
    }
    topic.seq += 1;
    topic.sent += 1;
    if (topic.sent > MAX_IN_WINDOW) topic.skipped = true;
    else this.#publish(name, { from: this.#self, seq: topic.seq, data });
  }

  listen(topic: string, listener: TopicListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    this.#subscribe(topic);
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#listeners.delete(topic);
      this.#subscriptions.get(topic)?.unsubscribe();
      this.#subscriptions.delete(topic);
    };
  }

  close(): void {
    for (const { timer } of this.#topics.values()) clearTimeout(timer);
  }

  #endWindow(name: string, topic: Topic): void {
    topic.timer = undefined;
    topic.sent = 0;
    if (!topic.skipped) return;
    topic.skipped = false;
    // Its number shows what was skipped.
    this.#publish(name, { from: this.#self, seq: topic.seq + 1 });
    topic.seq += 1;
  }

  #publish(name: string, message: Broadcast): void {
    if (this.#connection?.isUp !== true) return;
    publish(this.#connection.nats, sharedSubject(this.#prefix, name), encode(message));
  }

  #subscribe(topic: string): void {
    if (this.#connection === undefined || this.#subscriptions.has(topic)) return;
    const joiner = new PieceJoiner();
    const heard = new Map<string, number>();
    const subscription = this.#connection.nats.subscribe(sharedSubject(this.#prefix, topic), {
      callback: (error, message) => {
        if (error !== null) return;
        let received: Broadcast | undefined;
        try {
          received = joiner.take(message) as Broadcast | undefined;
        } catch {
          return;
        }
        if (received === undefined || received.from === this.#self) return;
        const { from, seq, data } = received;
        const last = heard.get(from);
        heard.set(from, seq);
        for (const listener of [...(this.#listeners.get(topic) ?? [])]) {
          if (last !== undefined && seq !== last + 1) listener.gap?.(from);
          if (data !== undefined) listener.receive(data, from);
        }
      },
    });
    this.#subscriptions.set(topic, subscription);
  }
}
