import type { InputStep } from "@ccbridge/protocol";
import { signal } from "@preact/signals";

const MAX_WAITING = 200;
const MAX_STEPS = 100;

export class TerminalInput {
  readonly problem = signal<string | undefined>(undefined);
  readonly #deliver: (steps: InputStep[]) => Promise<unknown>;
  #waiting: InputStep[] = [];
  #isSending = false;

  constructor(deliver: (steps: InputStep[]) => Promise<unknown>) {
    this.#deliver = deliver;
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
      const steps = this.#waiting.splice(0, MAX_STEPS);
      try {
        await this.#deliver(steps);
        this.problem.value = undefined;
      } catch (error) {
        this.problem.value = (error as Error).message;
        this.#waiting = [];
      }
    }
    this.#isSending = false;
  }
}
