import type { Identity } from "./identity.js";

/**
 * What changed, and on whom: `linked`, `unlinked`, `state` (whether it answers), `events` (one came). Owners
 * of other facts about a provider may add topics of their own.
 */
export interface RegistryChange {
  topic: "linked" | "unlinked" | "state" | "events" | (string & {});
  identity: Identity;
}

export type ChangeListener = (change: RegistryChange) => void;

/** Tells any number of listeners what changes. They must be quick and must not throw. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Listens until the returned function is called. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(change: RegistryChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}
