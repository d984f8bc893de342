import type { Cancellation } from "./cancellation.js";
import { LinkError, LinkErrorCode, type LinkErrorFacts } from "./errors.js";
import type { Answer, Outgoing } from "./provider.js";

export function attempt<T>(run: () => Promise<T>): Promise<T> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A random id of 72 bits, unique over all bridges and restarts. A provider cannot guess the id of another's job. */
export function createId(): string {
  const uuid = globalThis.crypto.randomUUID();
  // Without the dashes and the digits that give the version and the variant.
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(30);
}

/** Ids that are as unique, but can be guessed: for requests, whose answers count only on their own link. */
export function numberedIds(): () => string {
  const prefix = createId();
  let count = 0;
  return () => `${prefix}-${++count}`;
}

export interface RequestOptions {
  timeoutMs: number;
  signal?: Cancellation | undefined;
  /**
   * For work that continues by itself on the other side: after a time-out or an abort it is cancelled,
   * and after a time-out its last words are awaited for this long.
   */
  cancelGraceMs?: number | undefined;
  trace?: string | undefined;
  broadcast?: Broadcast | undefined;
  /** Called with what the other side reports before its answer. */
  onProgress?: ((message: string) => void) | undefined;
}

/** What the same request to many providers shares: an id, which counts on each link by itself, and its texts. */
export interface Broadcast {
  readonly id: string;
  /** By what a dialect writes differently for some of its providers. */
  readonly written: Map<unknown, Outgoing>;
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: LinkError) => void;
  readonly options: RequestOptions;
  readonly method: string;
  timer: ReturnType<typeof setTimeout>;
  onAbort: (() => void) | undefined;
  cancelling: boolean;
}

export interface PendingRequestsOptions {
  /** Who is asked, for errors. Only called for one: most requests are answered. */
  name(): string;
  /** Asks the other side to stop a request; false when it cannot. */
  cancel(id: string, reason: string): boolean;
}

/**
 * The requests of one session that wait for an answer. Every one is settled exactly once: by its answer,
 * its time-out, its abort or the end of the session. Nothing of it remains afterwards.
 */
export class PendingRequests {
  #entries = new Map<string, Pending>();
  readonly #options: PendingRequestsOptions;

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  add(id: string, method: string, options: RequestOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const entry: Pending = {
        resolve,
        reject,
        options,
        method,
        timer: setTimeout(() => this.#onTimeout(id, entry), options.timeoutMs),
        onAbort: undefined,
        cancelling: false,
      };
      if (options.signal !== undefined) {
        entry.onAbort = () => this.#onAbort(id, entry);
        options.signal.addEventListener("abort", entry.onAbort, { once: true });
      }
      this.#entries.set(id, entry);
    });
  }

  answer(id: string, answer: Answer): string | undefined {
    const entry = this.#take(id);
    if (entry === undefined) return undefined;
    if (entry.cancelling && !answer.ok && answer.cancel !== undefined) {
      entry.reject(this.#timedOut(entry, { cancel: "confirmed", response: answer }));
    } else {
      // An answer that overtook the cancel is still the answer.
      entry.resolve(answer);
    }
    return entry.method;
  }

  progress(id: string, message: string): void {
    this.#entries.get(id)?.options.onProgress?.(message);
  }

  failAll(error: (label: string) => LinkError): void {
    const entries = this.#entries;
    this.#entries = new Map();
    for (const entry of entries.values()) {
      this.#release(entry);
      entry.reject(error(this.#label(entry)));
    }
  }

  #take(id: string): Pending | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#release(entry);
    return entry;
  }

  #onTimeout(id: string, entry: Pending): void {
    const graceMs = entry.options.cancelGraceMs;
    if (graceMs === undefined) {
      this.#take(id)?.reject(this.#timedOut(entry));
    } else if (entry.cancelling) {
      this.#take(id)?.reject(this.#timedOut(entry, { cancel: "unconfirmed" }));
    } else if (this.#options.cancel(id, `timed out after ${entry.options.timeoutMs} ms`)) {
      entry.cancelling = true;
      entry.timer = setTimeout(() => this.#onTimeout(id, entry), graceMs);
    } else {
      this.#take(id)?.reject(this.#timedOut(entry, { cancel: "unsupported" }));
    }
  }

  #onAbort(id: string, entry: Pending): void {
    if (this.#take(id) === undefined) return;
    if (entry.options.cancelGraceMs !== undefined && !entry.cancelling) {
      this.#options.cancel(id, "cancelled by the caller");
    }
    entry.reject(new LinkError(LinkErrorCode.cancelled, `${this.#label(entry)} was cancelled`));
  }

  #label({ method }: Pending): string {
    return `${method} on ${this.#options.name()}`;
  }

  #timedOut(entry: Pending, facts?: LinkErrorFacts): LinkError {
    const message = `${this.#label(entry)} got no answer within ${entry.options.timeoutMs} ms`;
    return new LinkError(LinkErrorCode.timedOut, message, facts);
  }

  #release(entry: Pending): void {
    clearTimeout(entry.timer);
    if (entry.onAbort !== undefined) {
      entry.options.signal?.removeEventListener("abort", entry.onAbort);
    }
  }
}
