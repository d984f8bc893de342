import { type ProviderPort, stopOnceStarted } from "@ccbridge/registry";

/** A provider that starts offers its tools one after the other; clients hear about them once. */
const COALESCE_MS = 100;

/** Announces that the offered tools changed, once for all changes within a moment. */
export class OfferNews {
  readonly #providers: ProviderPort;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(providers: ProviderPort) {
    this.#providers = providers;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#unsubscribe ??= stopOnceStarted(
      this.#providers.changes.subscribe(
        () => (this.#timer ??= setTimeout(() => this.#tell(), COALESCE_MS)),
        { topics: ["tools"] },
      ),
    );
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #tell(): void {
    this.#timer = undefined;
    this.#tellNext([...this.#listeners]);
  }

  /** Each listener reads a list that may be long, so that everything else has its turn between two of them. */
  #tellNext([listener, ...others]: readonly (() => void)[]): void {
    if (listener === undefined) return;
    if (this.#listeners.has(listener)) listener();
    if (others.length > 0) setTimeout(() => this.#tellNext(others), 0);
  }
}
