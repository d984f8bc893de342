import { isComputer, type Provider, type Registry } from "@ccbridge/registry";

/** Computers that are remembered after they left; the longest gone are forgotten first. */
const MAX_REMEMBERED = 512;

/** A provider that was linked. */
export interface Departure {
  readonly provider: Provider;
  readonly at: number;
}

/** The computers that left since the bridge began, so that a fleet shows who is missing. */
export class Departures {
  readonly #departures = new Map<string, Departure>();

  constructor({ changes }: Pick<Registry, "changes">) {
    changes.subscribe((change) => {
      if (change.topic === "linked") this.#departures.delete(change.provider.key);
      // Pages come and go as people browse.
      if (change.topic !== "unlinked" || !isComputer(change.provider)) return;
      const { provider } = change;
      this.#departures.delete(provider.key);
      this.#departures.set(provider.key, { provider, at: Date.now() });
      const [oldest] = this.#departures.keys();
      if (this.#departures.size > MAX_REMEMBERED && oldest !== undefined) {
        this.#departures.delete(oldest);
      }
    });
  }

  list(): Iterable<Departure> {
    return this.#departures.values();
  }
}
