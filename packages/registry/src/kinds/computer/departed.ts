import { BoundedMap } from "../../bounded-map.js";
import type { Sees } from "../../dialect.js";
import { LinkError, LinkErrorCode } from "../../errors.js";
import type { Registry } from "../../registry.js";
import { type ComputerIdentity, computerName, isComputer } from "./identity.js";
import { type ComputerSelector, matchesSelector } from "./selector.js";

/** Computers that are remembered after they left; the longest gone are forgotten first. */
const MAX_REMEMBERED = 512;

/** A computer that was linked. */
export interface Departure {
  readonly identity: ComputerIdentity;
  readonly at: number;
  /** Undefined when the connection was lost: a close code means nothing to people. */
  readonly reason: string | undefined;
}

/** The computers that were linked and are away, so that they are not taken for unknown ones. */
export class DepartedComputers {
  readonly #departures = new BoundedMap<string, Departure>(MAX_REMEMBERED);

  constructor({ changes }: Registry) {
    changes.subscribe(({ provider }) => this.#departures.delete(provider.key), {
      topics: ["linked"],
    });
    changes.subscribe(
      ({ provider: identity, reason, isDropped }) => {
        if (!isComputer(identity)) return;
        const departure = { identity, at: Date.now(), reason: isDropped ? undefined : reason };
        this.#departures.set(identity.key, departure);
      },
      { topics: ["unlinked"] },
    );
  }

  list(): Iterable<Departure> {
    return this.#departures.values();
  }

  /** The error for a computer that was linked before; undefined when it never was. */
  errorFor(selector: ComputerSelector | undefined, sees: Sees): LinkError | undefined {
    const matching = [...this.#departures.values()].filter(
      ({ identity }) => matchesSelector(selector, identity) && sees(identity),
    );
    const last = matching.at(-1);
    if (last === undefined) return undefined;
    const { identity, at, reason } = last;
    const seconds = Math.round((Date.now() - at) / 1_000);
    const ago = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
    const how = reason === undefined ? "The link dropped." : `The link ended: ${reason}.`;
    return new LinkError(
      LinkErrorCode.away,
      `Computer ${computerName(identity)} is away: it was linked until ${new Date(at).toISOString().slice(11, 19)} UTC, ${ago} ago. ${how}`,
      { candidates: matching.map(({ identity }) => identity) },
    );
  }
}
