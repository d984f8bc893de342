import { isMissing, type ProviderPort, type WatchedScreen } from "@ccbridge/registry";

/** A view asks again and again, so the watch stays open in between. */
const LINGER_MS = 5_000;

/** What is known of a screen; `away` while its computer is not linked. */
export type ScreenState = WatchedScreen | "away";

/** The states of one screen, of which only the newest is kept until somebody asks. */
export class ScreenStates {
  readonly #providers: ProviderPort;
  readonly #key: string;
  readonly #job: string | undefined;
  readonly #unsubscribe: () => void;
  #unwatch: (() => void) | undefined;
  #newest: ScreenState | undefined;
  #wake: () => void = () => {};

  constructor(providers: ProviderPort, key: string, job: string | undefined) {
    this.#providers = providers;
    this.#key = key;
    this.#job = job;
    this.#unsubscribe = providers.changes.subscribe(
      ({ topic }) => (topic === "linked" ? this.#watch() : this.#take("away")),
      { topics: ["linked", "unlinked"], key },
    );
    this.#watch();
  }

  /** The newest state that was not delivered yet; undefined when none comes in time, or nobody waits for it. */
  async next(timeoutMs: number, gone: AbortSignal): Promise<ScreenState | undefined> {
    if (this.#newest === undefined && timeoutMs > 0 && !gone.aborted) {
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
    const state = this.#newest;
    this.#newest = undefined;
    return state;
  }

  close(): void {
    this.#unsubscribe();
    this.#unwatch?.();
  }

  /** What is followed outlasts a link, but needs one to begin. */
  #watch(): void {
    const subject = { what: "screen", job: this.#job, lingerMs: LINGER_MS };
    try {
      this.#unwatch ??= this.#providers.watch(this.#key, subject, (state) =>
        this.#take(state as WatchedScreen),
      );
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#take("away");
    }
  }

  #take(state: ScreenState): void {
    this.#newest = state;
    this.#wake();
  }
}
