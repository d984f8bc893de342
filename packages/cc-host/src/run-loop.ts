/** Real time before sockets and other computers get a turn. */
const SLICE_MS = 5;
const LONG_EVENT_MS = 20;
const CATCH_UP_TURNS = 20;

interface Work {
  isDriven(): boolean;
  canRun(): boolean;
  start(): void;
  step(): boolean;
  isWaiting(): boolean;
  ran(): void;
}

export class RunLoop {
  readonly #work: Work;
  #scheduled: NodeJS.Immediate | undefined;
  #running = false;

  constructor(work: Work) {
    this.#work = work;
  }

  get isScheduled(): boolean {
    return this.#scheduled !== undefined;
  }

  schedule(turns = 0): void {
    if (this.isScheduled || this.#running) return;
    this.#scheduled = setImmediate(() => {
      this.#scheduled = undefined;
      if (turns > 0) this.schedule(turns - 1);
      else this.run(SLICE_MS);
    });
  }

  cancel(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
  }

  run(sliceMs: number, isEnough = () => false): void {
    const work = this.#work;
    if (this.#running || !work.canRun()) return;
    this.#running = true;
    const end = performance.now() + sliceMs;
    let turns = 0;
    try {
      work.start();
      while (performance.now() < end && !isEnough()) {
        const began = performance.now();
        if (!work.step()) break;
        // In the game messages arrive while a program computes: receive them before the next event.
        if (performance.now() - began >= LONG_EVENT_MS && !work.isDriven()) {
          turns = CATCH_UP_TURNS;
          break;
        }
      }
    } finally {
      this.#running = false;
    }
    if (work.isWaiting() || turns > 0) this.schedule(turns);
    work.ran();
  }
}
