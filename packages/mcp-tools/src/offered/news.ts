import type { ProviderPort } from "@ccbridge/registry";

/** A computer that starts offers its tools one after the other; clients hear about them once. */
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
    this.#unsubscribe ??= this.#providers.changes.subscribe(({ topic }) => {
      if (topic === "tools") this.#timer ??= setTimeout(() => this.#tell(), COALESCE_MS);
    });
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
    for (const listener of [...this.#listeners]) listener();
  }
}
