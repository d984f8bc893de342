import type { Fired } from "@ccbridge/mcp-tools";

const MAX_FIRED = 100;

export interface OwnedFired extends Fired {
  /** See `Clients.tokenOf`. */
  readonly owner: string;
}

export class FiredLog {
  #all: readonly OwnedFired[] = [];

  get all(): readonly OwnedFired[] {
    return this.#all;
  }

  restore(all: readonly OwnedFired[]): void {
    this.#all = all.slice(-MAX_FIRED);
  }

  /** Replaces what was noted of the same delivery. */
  note(fired: OwnedFired): void {
    const others = this.#all.filter(({ alert, at }) => alert !== fired.alert || at !== fired.at);
    this.#all = [...others, fired].slice(-MAX_FIRED);
  }
}
