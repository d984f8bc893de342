import { BoundedMap, isComputer, type Provider, type Registry } from "@ccbridge/registry";

/** Computers that are remembered after they left; the longest gone are forgotten first. */
const MAX_REMEMBERED = 512;

/** A provider that was linked. */
export interface Departure {
  readonly provider: Provider;
  readonly at: number;
}

/** The computers that left since the bridge began, so that a fleet shows who is missing. */
export class Departures {
  readonly #departures = new BoundedMap<string, Departure>(MAX_REMEMBERED);

  constructor({ changes }: Pick<Registry, "changes">) {
    changes.subscribe(({ provider }) => this.#departures.delete(provider.key), {
      topics: ["linked"],
    });
    changes.subscribe(
      ({ provider }) => {
        // Pages come and go as people browse.
        if (isComputer(provider)) this.#departures.set(provider.key, { provider, at: Date.now() });
      },
      { topics: ["unlinked"] },
    );
  }

  list(): Iterable<Departure> {
    return this.#departures.values();
  }
}
