import { encodeFrame, MAX_CHECKED_REQUESTS, methods } from "@ccbridge/protocol";
import { Budget } from "../../budget.js";

/** How old a request must be before it is asked after. */
const UNCERTAIN_MS = 2_000;

interface Sent {
  text: string;
  at: number;
}

/**
 * The requests of one link of which nothing was heard yet. The game drops messages without a word when its
 * event queue is full, so now and then the agent is asked which of them it has never seen, and those are sent
 * again. Nothing can run twice: that question follows the requests on an ordered wire, so a request that is
 * unknown then was dropped and cannot come later.
 */
export class Outbox {
  checking = false;
  readonly #sent = new Map<string, Sent>();
  readonly #budget: Budget<string>;

  constructor(maxBytes: number) {
    this.#budget = new Budget({ total: maxBytes });
  }

  /** A request went out. What would be too much to keep is not asked after. */
  add(id: string, text: string): void {
    if (this.#budget.take(id, text.length)) this.#sent.set(id, { text, at: performance.now() });
  }

  /** The agent has a request, or was asked to stop it: it must not be sent again. */
  forget(id: string): void {
    this.#sent.delete(id);
    this.#budget.release(id);
  }

  uncertain(now: number): string[] {
    const ids: string[] = [];
    for (const [id, { at }] of this.#sent) {
      if (now - at < UNCERTAIN_MS || ids.length >= MAX_CHECKED_REQUESTS) break;
      ids.push(id);
    }
    return ids;
  }

  /** Takes the answer: all that was asked after has arrived, but for the unknown. Returns those. */
  settle(asked: readonly string[], answer: unknown): { id: string; text: string }[] {
    const parsed = methods["check-requests"].result.safeParse(answer);
    if (!parsed.success) return [];
    const lost = new Set(parsed.data.unknown);
    const again: { id: string; text: string }[] = [];
    for (const id of asked) {
      const sent = this.#sent.get(id);
      this.forget(id);
      if (sent !== undefined && lost.has(id)) again.push({ id, text: sent.text });
    }
    return again;
  }
}

/** Each acknowledgement wakes the computer, so they are rare: what is not acknowledged yet only comes twice after a drop. */
export const ACK_DELAY_MS = 3_000;
/** Half of what an agent keeps: it must not forget an answer whose acknowledgement is on its way. */
const MAX_COLLECTED_ACKS = 8;

export interface AcksOptions {
  readonly together: boolean;
  write(text: string): void;
}

/** Collects the acknowledgements of one link, so that several answers are acknowledged in one frame. */
export class Acks {
  readonly #options: AcksOptions;
  #ids: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AcksOptions) {
    this.#options = options;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length >= MAX_COLLECTED_ACKS) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), ACK_DELAY_MS);
  }

  flush(): void {
    const ids = this.#ids;
    this.clear();
    if (ids.length === 0) return;
    const { together, write } = this.#options;
    if (together) return write(encodeFrame({ type: "ack", ids }));
    for (const id of ids) write(encodeFrame({ type: "ack", id }));
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#ids = [];
  }
}
