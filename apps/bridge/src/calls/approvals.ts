import { randomUUID } from "node:crypto";
import type { Cancellation } from "@ccbridge/registry";
import { limits } from "../config/limits.js";

/** What a person allows: one call, a tool on the targets for an hour, or every change on them for an hour. */
type Scope = "call" | "tool" | "targets";
export type Decision = Scope | "no";

export interface ApprovalRequest {
  readonly trace: string;
  readonly client: string;
  readonly tool: string;
  readonly targets: readonly string[];
  readonly question: string;
  /** Everything that would run or be written, untruncated. */
  readonly subject: string;
  readonly choices: readonly { readonly value: Scope; readonly title: string }[];
}

export interface PendingApproval extends ApprovalRequest {
  readonly id: string;
  readonly at: number;
}

export type PersonAnswer =
  | { readonly decision: Decision; readonly by: string }
  | { readonly unanswered: string };

interface Waiting {
  readonly approval: PendingApproval;
  settle(answer: PersonAnswer): void;
}

const PATIENCE_MS = 300_000;

/** The questions, and dashboards, of other bridges. */
export interface ApprovalsElsewhere {
  isOpen(): boolean;
  list(): readonly PendingApproval[];
  answer(id: string, decision: Decision, by: string): boolean;
  /** The questions here have changed. */
  changed(): void;
}

/** Questions for a person at the dashboard. Open while at least one person watches, here or elsewhere. */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();
  readonly #patienceMs: number;

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  elsewhere: ApprovalsElsewhere | undefined;

  get isOpen(): boolean {
    return this.isWatched || this.elsewhere?.isOpen() === true;
  }

  /** Whether a dashboard of this bridge is open. */
  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  list(): readonly PendingApproval[] {
    return [...this.own(), ...(this.elsewhere?.list() ?? [])];
  }

  own(): readonly PendingApproval[] {
    return [...this.#waiting.values()].map(({ approval }) => approval);
  }

  /** Other bridges have other questions, or no dashboard any more. */
  changedElsewhere(): void {
    this.#settleIfClosed();
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.elsewhere?.changed();
    return () => {
      this.#listeners.delete(listener);
      this.elsewhere?.changed();
      this.#settleIfClosed();
    };
  }

  ask(request: ApprovalRequest, signal?: Cancellation): Promise<PersonAnswer> {
    if (!this.isOpen) return Promise.resolve({ unanswered: "no dashboard is open" });
    const own = this.own().filter(({ client }) => client === request.client).length;
    // The questions of one client must not use up the limit for others.
    if (this.#waiting.size >= limits.questions || own >= limits.questionsPerClient) {
      return Promise.resolve({ unanswered: "too many questions wait already" });
    }
    return new Promise((resolve) => {
      const id = randomUUID();
      const settle = (answer: PersonAnswer) => {
        if (!this.#waiting.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        this.#notify();
        resolve(answer);
      };
      const giveUp = () => settle({ unanswered: "the client stopped waiting" });
      const timer = setTimeout(
        () => settle({ unanswered: "no answer came in time" }),
        this.#patienceMs,
      );
      timer.unref();
      this.#waiting.set(id, { approval: { ...request, id, at: Date.now() }, settle });
      if (signal?.aborted) return giveUp();
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#notify();
    });
  }

  /** Returns false when the question no longer waits. `by` is the name of the person. */
  answer(id: string, decision: Decision, by: string): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.settle({ decision, by });
    return waiting !== undefined || this.elsewhere?.answer(id, decision, by) === true;
  }

  #settleIfClosed(): void {
    if (this.isOpen) return;
    for (const { settle } of [...this.#waiting.values()]) {
      settle({ unanswered: "the dashboard was closed" });
    }
  }

  #notify(): void {
    this.elsewhere?.changed();
    for (const listener of [...this.#listeners]) listener();
  }
}
