import { randomUUID } from "node:crypto";
import type { StopSignal } from "@ccbridge/registry";

/** What a person may say to a question. */
export type Decision = "once" | "hour" | "no";

/** What a client wants to do, and waits with. */
export interface ApprovalRequest {
  /** The name of the client's token. */
  readonly client: string;
  readonly tool: string;
  /** The provider's name; undefined when the call names none. */
  readonly provider: string | undefined;
  /** What would happen, in one sentence. */
  readonly question: string;
}

export interface PendingApproval extends ApprovalRequest {
  readonly id: string;
  readonly at: number;
}

/** How a question was answered, and by whom. */
export interface Approval {
  readonly decision: Decision;
  readonly by: string;
}

interface Waiting {
  readonly approval: PendingApproval;
  settle(approval: Approval): void;
}

/** Questions that wait, of all clients and of one. */
export const questionLimits = { all: 64, perClient: 16 } as const;
const PATIENCE_MS = 300_000;

/**
 * Questions that wait for somebody who watches, such as a person at the dashboard. It is open while somebody
 * does.
 */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** Whether somebody is there to answer. */
  get isOpen(): boolean {
    return this.#listeners.size > 0;
  }

  /** The questions without an answer, oldest first. */
  list(): readonly PendingApproval[] {
    return [...this.#waiting.values()].map(({ approval }) => approval);
  }

  /** Watches the questions: calls back whenever the list is another one, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (!this.isOpen) {
        for (const { settle } of [...this.#waiting.values()]) {
          settle({ decision: "no", by: "nobody: the dashboard was closed" });
        }
      }
    };
  }

  /** Asks. Without an answer in time, or when the caller gives up, the answer is no. */
  ask(request: ApprovalRequest, signal?: StopSignal): Promise<Approval> {
    if (!this.isOpen) return Promise.resolve({ decision: "no", by: "nobody: no one watches" });
    const own = this.list().filter(({ client }) => client === request.client).length;
    // The questions of one client must not keep those of others from being asked.
    if (this.#waiting.size >= questionLimits.all || own >= questionLimits.perClient) {
      return Promise.resolve({ decision: "no", by: "nobody: too many questions wait" });
    }
    return new Promise((resolve) => {
      const id = randomUUID();
      const settle = (approval: Approval) => {
        if (!this.#waiting.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        this.#tell();
        resolve(approval);
      };
      const giveUp = () => settle({ decision: "no", by: "nobody: the client gave up" });
      const late = () => settle({ decision: "no", by: "nobody: no answer came in time" });
      const timer = setTimeout(late, this.#patienceMs);
      timer.unref();
      this.#waiting.set(id, { approval: { ...request, id, at: Date.now() }, settle });
      if (signal?.aborted) return giveUp();
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#tell();
    });
  }

  /** Answers a question; false when it no longer waits. `by` is the name of the person who answers. */
  answer(id: string, decision: Decision, by: string): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.settle({ decision, by });
    return waiting !== undefined;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
