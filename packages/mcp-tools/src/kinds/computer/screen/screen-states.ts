import {
  isMissing,
  type ProviderPort,
  type Stop,
  stopOnceStarted,
  type WatchedScreen,
} from "@ccbridge/registry";

/** A view polls, so the watch is kept open between two calls. */
const LINGER_MS = 5_000;

export type ScreenState = WatchedScreen | "away";

/** Keeps only the newest state until it is requested. */
export class ScreenStates {
  readonly #providers: ProviderPort;
  readonly #key: string;
  readonly #job: string | undefined;
  readonly #unsubscribe: Stop;
  #unwatch: Stop | undefined;
  #problem: Error | undefined;
  #newest: ScreenState | undefined;
  #wake: () => void = () => {};

  constructor(providers: ProviderPort, key: string, job: string | undefined) {
    this.#providers = providers;
    this.#key = key;
    this.#job = job;
    this.#unsubscribe = stopOnceStarted(
      providers.changes.subscribe(
        ({ topic }) => (topic === "linked" ? this.#watch() : this.#receive("away")),
        { topics: ["linked", "unlinked"], key },
      ),
    );
    this.#watch();
  }

  /** The newest undelivered state; undefined on timeout or when the caller is gone. Rejects when it cannot be watched. */
  async next(timeoutMs: number, gone: AbortSignal): Promise<ScreenState | undefined> {
    if (
      this.#newest === undefined &&
      this.#problem === undefined &&
      timeoutMs > 0 &&
      !gone.aborted
    ) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          gone.removeEventListener("abort", this.#wake);
          resolve();
        };
        gone.addEventListener("abort", this.#wake);
      });
    }
    if (this.#problem !== undefined) throw this.#problem;
    const state = this.#newest;
    this.#newest = undefined;
    return state;
  }

  close(): void {
    this.#unsubscribe();
    this.#unwatch?.();
  }

  /** A watch outlasts a link, but needs one to start. */
  #watch(): void {
    if (this.#unwatch !== undefined) return;
    const subject = { what: "screen", job: this.#job, lingerMs: LINGER_MS };
    const starting = this.#providers.watch(this.#key, subject, (state) =>
      this.#receive(state as WatchedScreen),
    );
    this.#unwatch = stopOnceStarted(starting);
    starting.catch((error: Error) => {
      this.#unwatch = undefined;
      if (isMissing(error)) return this.#receive("away");
      this.#problem = error;
      this.#wake();
    });
  }

  #receive(state: ScreenState): void {
    this.#newest = state;
    this.#wake();
  }
}
