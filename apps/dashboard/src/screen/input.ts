import type { InputStep } from "@ccbridge/protocol";
import { signal } from "@preact/signals";
import { ask } from "../wire/connection.js";

/** Input that may wait while the game is busy; more is not typed by a person. */
const MAX_WAITING = 200;

/** Hands input to a terminal in order, one message at a time. */
export class TerminalInput {
  readonly problem = signal<string | undefined>(undefined);
  readonly #key: string;
  readonly #job: string | undefined;
  #waiting: InputStep[] = [];
  #isSending = false;

  constructor(key: string, job: string | undefined) {
    this.#key = key;
    this.#job = job;
  }

  push(...steps: InputStep[]): void {
    this.#waiting.push(...steps);
    this.#waiting = this.#waiting.slice(-MAX_WAITING);
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const steps = this.#waiting;
      this.#waiting = [];
      const job = this.#job === undefined ? {} : { job: this.#job };
      try {
        await ask("input", { key: this.#key, ...job, steps });
        this.problem.value = undefined;
      } catch (error) {
        this.problem.value = (error as Error).message;
        this.#waiting = [];
      }
    }
    this.#isSending = false;
  }
}
