import { type Cancellation, createId, LinkError, LinkErrorCode } from "@ccbridge/registry";
import type { Msg } from "@nats-io/transport-node";
import type { Connection } from "./connection.js";
import { encode, PieceJoiner, publish } from "./pieces.js";
import { bridgeSubject, replySubject } from "./subjects.js";
import { type FromOwner, fromWire, type ToOwner } from "./wire.js";

export interface CallOptions {
  /** How long the other bridge may work on it. */
  readonly timeoutMs: number;
  readonly signal?: Cancellation | undefined;
  /** For work that says when it has begun, and how long that may take; only then does the time for it count. */
  readonly begin?: { readonly timeoutMs: number; begun(value: unknown): void } | undefined;
}

/** How much longer than the work itself its answer may take, and how long a cancelled call may. */
const GRACE_MS = 5_000;
/** When an answer is asked for again. */
const AGAIN_MS = 1_000;
const MAX_AGAIN_MS = 4_000;
const MAX_PENDING = 4_096;
const SETTLE_MS = 5_000;
const MAX_MISSES = 2;

/** Why a call to another bridge has no answer. */
export const CallProblem = {
  /** No connection to NATS: nothing was sent. */
  alone: "alone",
  /** The other bridge is gone, and never got it. */
  absent: "absent",
  /** The other bridge did not answer in time. */
  slow: "slow",
  /** The other bridge ended, or was cut off, while it worked on it. */
  gone: "gone",
} as const;
export type CallProblem = (typeof CallProblem)[keyof typeof CallProblem];

export class CallError extends Error {
  override readonly name = "CallError";
  readonly problem: CallProblem;
  readonly bridge: string;

  constructor(problem: CallProblem, bridge: string) {
    super(`${problem}: ${bridge}`);
    this.problem = problem;
    this.bridge = bridge;
  }
}

interface Pending {
  readonly id: string;
  readonly to: string;
  readonly message: Uint8Array;
  readonly sentAt: number;
  /** Whether an answer was asked for again: then the call itself may have arrived. */
  asked: boolean;
  /** How often in a row no bridge listened. */
  misses: number;
  begun(value: unknown): void;
  settle(outcome: { value: unknown } | { error: Error }): void;
}

/** Calls other bridges. Each call has an id, so that asking again never runs it again. */
export class Caller {
  readonly #connection: Connection;
  readonly #self: string;
  readonly #prefix: string;
  readonly #joiner = new PieceJoiner();
  readonly #pending = new Map<string, Pending>();

  constructor(connection: Connection, prefix: string, self: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#self = self;
    connection.nats.subscribe(replySubject(prefix, self, "*"), {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
      },
    });
  }

  get size(): number {
    return this.#pending.size;
  }

  call(to: string, op: string, args: unknown, options: CallOptions): Promise<unknown> {
    const { timeoutMs, signal } = options;
    let begin = options.begin;
    if (!this.#connection.isUp) return Promise.reject(new CallError(CallProblem.alone, to));
    if (this.#pending.size >= MAX_PENDING) {
      const text = `this bridge waits for ${MAX_PENDING} answers of other bridges, which is its limit`;
      return Promise.reject(new LinkError(LinkErrorCode.tooManyRequests, text));
    }
    const id = createId();
    const message = encode({ type: "call", id, from: this.#self, op, args } satisfies ToOwner);
    return new Promise((resolve, reject) => {
      let againMs = AGAIN_MS;
      const settle: Pending["settle"] = (outcome) => {
        if (!this.#pending.delete(id)) return;
        clearTimeout(deadline);
        clearTimeout(again);
        signal?.removeEventListener("abort", cancel);
        if ("error" in outcome) reject(outcome.error);
        else resolve(outcome.value);
      };
      const late = () => settle({ error: new CallError(CallProblem.slow, to) });
      const cancel = () => {
        if (this.#connection.isUp) this.#publish(pending, encode({ type: "cancel", id }));
        clearTimeout(deadline);
        deadline = setTimeout(late, GRACE_MS);
      };
      const askAgain = () => {
        this.#askAgain(pending);
        againMs = Math.min(2 * againMs, MAX_AGAIN_MS);
        again = setTimeout(askAgain, againMs);
      };
      const pending: Pending = {
        id,
        to,
        message,
        sentAt: performance.now(),
        asked: false,
        misses: 0,
        begun(value) {
          // It is said again when the answer is asked for again.
          if (begin === undefined) return;
          begin.begun(value);
          begin = undefined;
          if (signal?.aborted) return;
          clearTimeout(deadline);
          deadline = setTimeout(late, timeoutMs + GRACE_MS);
        },
        settle,
      };
      let deadline = setTimeout(late, (begin ?? options).timeoutMs + GRACE_MS);
      let again = setTimeout(askAgain, againMs);
      this.#pending.set(id, pending);
      signal?.addEventListener("abort", cancel, { once: true });
      this.#publish(pending, message);
      if (signal?.aborted) cancel();
    });
  }

  /** A bridge is known to be gone: what it worked on has no answer. */
  gone(bridge: string): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.to === bridge) this.#lose(pending);
    }
  }

  /** Connected again: what was sent meanwhile is lost. */
  askAll(): void {
    for (const pending of [...this.#pending.values()]) this.#askAgain(pending);
  }

  close(): void {
    this.#joiner.clear();
    for (const pending of [...this.#pending.values()]) this.#lose(pending);
  }

  #askAgain(pending: Pending): void {
    if (!this.#connection.isUp) return;
    pending.asked = true;
    const { id } = pending;
    const ageMs = Math.ceil(performance.now() - pending.sentAt);
    const message: ToOwner = { type: "again", id, from: this.#self, ageMs };
    this.#publish(pending, encode(message));
  }

  #publish({ id, to }: Pending, message: Uint8Array): void {
    const reply = replySubject(this.#prefix, this.#self, id);
    publish(this.#connection.nats, bridgeSubject(this.#prefix, to), message, reply);
  }

  #receive(message: Msg): void {
    const pending = this.#pending.get(message.subject.slice(message.subject.lastIndexOf(".") + 1));
    if (pending === undefined) return;
    // NATS itself answers when no bridge listens there.
    if (message.headers?.code === 503) return this.#noListener(pending);
    let answer: FromOwner | undefined;
    try {
      answer = this.#joiner.take(message) as FromOwner | undefined;
    } catch {
      return;
    }
    if (answer === undefined) return;
    pending.misses = 0;
    if ("begun" in answer) pending.begun(answer.begun);
    else if ("state" in answer) {
      if (answer.state === "unknown") this.#publish(pending, pending.message);
      else if (answer.state === "forgotten") this.#lose(pending);
    } else if (answer.ok) pending.settle({ value: answer.value });
    else pending.settle({ error: fromWire(answer.error) });
  }

  #noListener(pending: Pending): void {
    // After an outage of NATS the other bridge may need longer to connect again than this one.
    if (this.#connection.upForMs < SETTLE_MS) return;
    if (!pending.asked) {
      return pending.settle({ error: new CallError(CallProblem.absent, pending.to) });
    }
    pending.misses += 1;
    if (pending.misses >= MAX_MISSES) this.#lose(pending);
  }

  #lose({ to, settle }: Pending): void {
    settle({ error: new CallError(CallProblem.gone, to) });
  }
}
