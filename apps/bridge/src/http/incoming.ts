import { Budget } from "@ccbridge/registry";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { addressKey } from "../config/addresses.js";
import type { Refuse } from "./errors.js";

export interface Unfinished {
  readonly address: string;
  drop(reason: string): void;
}

/** Up to this length they are bounded by the number of connections, and not counted. */
const UNCOUNTED_BYTES = 4_096;

/**
 * Bounds the incomplete messages of all peers of a listener. Each message has its own limit, but
 * thousands of peers may send half of one and wait. The oldest message of the address with the most
 * bytes is dropped first: an honest peer completes its message at once.
 */
export class IncomingBudget {
  readonly #budget: Budget<string>;
  readonly #open = new Map<Unfinished, { bytes: number; since: number }>();

  constructor(total: number) {
    this.#budget = new Budget({ total });
  }

  /** Records how many bytes of a message are held: call {@link shed} afterwards. */
  set(message: Unfinished, bytes: number): void {
    if (bytes <= UNCOUNTED_BYTES) return this.release(message);
    const { address } = message;
    const known = this.#open.get(message);
    this.#budget.set(address, this.#budget.held(address) + bytes - (known?.bytes ?? 0));
    if (known === undefined) this.#open.set(message, { bytes, since: performance.now() });
    else known.bytes = bytes;
  }

  release(message: Unfinished): void {
    const known = this.#open.get(message);
    if (known === undefined) return;
    this.#open.delete(message);
    this.#budget.give(message.address, known.bytes);
  }

  shed(olderThanMs = 0): boolean {
    while (this.#budget.isOver) {
      const oldest = this.#oldestOf(this.#budget.worst(), performance.now() - olderThanMs);
      if (oldest === undefined) return false;
      this.release(oldest);
      oldest.drop("its message was incomplete, and the memory was needed for others");
    }
    return true;
  }

  #oldestOf(address: string | undefined, begunBy: number): Unfinished | undefined {
    for (const [message, { since }] of this.#open) {
      if (since > begunBy) return undefined;
      if (message.address === address) return message;
    }
    return undefined;
  }
}

const SLOW_MS = 2_000;

/** Counts request bodies while they arrive; beyond the budget requests are refused. */
export function limitBodies(
  app: FastifyInstance,
  incoming: IncomingBudget,
  { bodyLimit, refuse }: { bodyLimit: number; refuse: Refuse },
): void {
  app.addHook("preParsing", (request, reply, payload, done) => {
    const length = Math.min(declaredLength(request, bodyLimit), bodyLimit);
    if (length <= UNCOUNTED_BYTES) return done(null, payload);
    const { raw, ip } = request;
    const body = { address: addressKey(ip), drop: () => void raw.destroy() };
    incoming.set(body, length);
    if (!incoming.shed(SLOW_MS)) {
      incoming.release(body);
      reply.header("Retry-After", "1");
      refuse(reply, 503, "Too many large requests are being received. Try again in a moment.");
      return;
    }
    raw.once("end", () => incoming.release(body));
    raw.once("close", () => incoming.release(body));
    done(null, payload);
  });
}

function declaredLength({ headers }: FastifyRequest, bodyLimit: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimit;
  return Number(headers["content-length"] ?? 0);
}

interface Pausable {
  pause(): void;
  resume(): void;
}

/** Messages from one socket in a row before the others are read. */
const MAX_RUN = 256;
const AT_ONCE = 16;

let latest: Pausable | undefined;
let run = 0;
const paused = new Set<Pausable>();

/**
 * Counts a message. Node reads megabytes from one socket before the next, so a peer that floods
 * small messages would starve the others: after a run of messages it is paused until they were
 * read.
 */
export function noteRead(socket: Pausable): void {
  if (socket !== latest) {
    latest = socket;
    run = 0;
  }
  run += 1;
  if (run < MAX_RUN) return;
  run = 0;
  socket.pause();
  if (paused.size === 0) setImmediate(resumeSome);
  paused.add(socket);
}

function resumeSome(): void {
  let left = AT_ONCE;
  for (const socket of paused) {
    if (left === 0) break;
    left -= 1;
    paused.delete(socket);
    socket.resume();
  }
  if (paused.size > 0) setImmediate(resumeSome);
}
