import { Budget } from "@ccbridge/registry";
import type { Msg } from "@nats-io/transport-node";
import type { Connection } from "./connection.js";
import { encode, PieceJoiner, publish } from "./pieces.js";
import { bridgeSubject, replySubject } from "./subjects.js";
import {
  type AgainMessage,
  type CallMessage,
  type FromOwner,
  type ToOwner,
  toWire,
} from "./wire.js";

interface CallContext {
  /** The bridge that calls. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** Says that the work has begun, where it takes a while. */
  begun(value: unknown): void;
}

type Operation = (args: never, context: CallContext) => unknown;
export type Operations = Readonly<Record<string, Operation>>;

/** How long the ids of finished calls are known. A call waits for less. */
const KEEP_MS = 300_000;
const MAX_KNOWN = 262_144;
/** How long a message may be under way. */
const TRAVEL_MS = 10_000;
/** Answers that are kept in case they were lost; longer ones in total are dropped, oldest first. */
const MAX_KEPT_BYTES = 64 * 1_024 * 1_024;
const MAX_RUNNING = 4_096;

interface Known {
  readonly from: string;
  readonly stop: AbortController;
  endedAt: number | undefined;
  begun: Uint8Array | undefined;
  answer: Uint8Array | undefined;
}

/** Runs what other bridges ask this one for: each call once, however often it comes. */
export class CallServer {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #operations: Operations;
  readonly #joiner = new PieceJoiner();
  readonly #known = new Map<string, Known>();
  readonly #kept = new Budget<string>({ total: MAX_KEPT_BYTES });
  #running = 0;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, prefix: string, self: string, operations: Operations) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#operations = operations;
    connection.nats.subscribe(bridgeSubject(prefix, self), {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
      },
    });
  }

  get running(): number {
    return this.#running;
  }

  close(): void {
    this.#joiner.clear();
  }

  #receive(message: Msg): void {
    let received: ToOwner | undefined;
    try {
      received = this.#joiner.take(message) as ToOwner | undefined;
    } catch {
      return;
    }
    if (received === undefined) return;
    const known = this.#known.get(received.id);
    switch (received.type) {
      case "cancel":
        return known?.stop.abort();
      case "again":
        return this.#answerAgain(received, known);
      case "call":
        // It was sent again, because its answer, or the news that it runs, was lost.
        if (known !== undefined) return this.#answerAgain(received, known);
        return void this.#run(received);
    }
  }

  #answerAgain(asked: CallMessage | AgainMessage, known: Known | undefined): void {
    const { id, from } = asked;
    if (known?.answer !== undefined) return this.#publish(from, id, known.answer);
    if (known === undefined) {
      const sentAt = performance.now() - ("ageMs" in asked ? asked.ageMs : 0) - TRAVEL_MS;
      return this.#send(from, { id, state: sentAt > this.#forgotAt ? "unknown" : "forgotten" });
    }
    if (known.endedAt === undefined) {
      if (known.begun !== undefined) return this.#publish(from, id, known.begun);
      return this.#send(from, { id, state: "running" });
    }
    const error = { name: "Error", message: "It was run, but its answer is no longer kept." };
    this.#send(from, { id, ok: false, error });
  }

  async #run({ id, from, op, args }: CallMessage): Promise<void> {
    const known: Known = {
      from,
      stop: new AbortController(),
      endedAt: undefined,
      begun: undefined,
      answer: undefined,
    };
    this.#known.set(id, known);
    this.#forgetOld();
    this.#running += 1;
    const begun = (value: unknown) => {
      if (known.endedAt !== undefined) return;
      known.begun = encode({ id, begun: value } satisfies FromOwner);
      this.#publish(from, id, known.begun);
    };
    let answer: FromOwner;
    try {
      const operation = Object.hasOwn(this.#operations, op) ? this.#operations[op] : undefined;
      if (operation === undefined)
        throw new Error(`the other bridge does not know ${op}: update it`);
      if (this.#running > MAX_RUNNING) throw new Error("the other bridge has too many calls");
      const value = await operation(args as never, { from, signal: known.stop.signal, begun });
      answer = { id, ok: true, value };
    } catch (error) {
      answer = { id, ok: false, error: toWire(error) };
    }
    this.#running -= 1;
    known.endedAt = performance.now();
    known.begun = undefined;
    known.answer = encode(answer);
    this.#kept.set(id, known.answer.length);
    this.#publish(from, id, known.answer);
  }

  #forgetOld(): void {
    const oldest = performance.now() - KEEP_MS;
    for (const [id, { endedAt }] of this.#known) {
      if (endedAt === undefined) continue;
      if (endedAt > oldest) {
        if (this.#known.size <= MAX_KNOWN) break;
        this.#forgotAt = endedAt;
      }
      this.#known.delete(id);
      this.#kept.release(id);
    }
    if (!this.#kept.isOver) return;
    for (const [id, known] of this.#known) {
      if (!this.#kept.isOver) return;
      if (known.answer === undefined) continue;
      known.answer = undefined;
      this.#kept.release(id);
    }
  }

  #send(to: string, answer: FromOwner): void {
    this.#publish(to, answer.id, encode(answer));
  }

  /** While NATS is gone nothing is sent: the caller asks again. */
  #publish(to: string, id: string, answer: Uint8Array): void {
    if (!this.#connection.isUp) return;
    publish(this.#connection.nats, replySubject(this.#prefix, to, id), answer);
  }
}
