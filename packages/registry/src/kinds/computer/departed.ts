import { BoundedMap } from "../../budget.js";
import type { Sees } from "../../dialect.js";
import { LinkError, LinkErrorCode } from "../../errors.js";
import type { Registry } from "../../registry.js";
import { type ComputerProvider, computerName, isComputer } from "./provider.js";
import { type ComputerSelector, matchesSelector } from "./selector.js";

/** Computers that are remembered after they left; the longest gone are forgotten first. */
const MAX_REMEMBERED = 512;

/** Why the link of a computer ends whose approval was taken back. */
export const REVOKED = "its approval was revoked";

export interface Departure {
  readonly provider: ComputerProvider;
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
      ({ provider, reason, isDropped }) => {
        if (!isComputer(provider)) return;
        const departure = { provider, at: Date.now(), reason: isDropped ? undefined : reason };
        this.#departures.set(provider.key, departure);
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
      ({ provider }) => matchesSelector(selector, provider) && sees(provider),
    );
    const last = matching.at(-1);
    if (last === undefined) return undefined;
    const { provider, at, reason } = last;
    const seconds = Math.round((Date.now() - at) / 1_000);
    const ago = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
    const how = reason === undefined ? "The link dropped." : `The link ended: ${reason}.`;
    const error = new LinkError(
      LinkErrorCode.away,
      `Computer ${computerName(provider)} is away: it was linked until ${new Date(at).toISOString().slice(11, 19)} UTC, ${ago} ago. ${how}`,
      { candidates: matching.map(({ provider }) => provider) },
    );
    if (reason === REVOKED) {
      error.hint =
        "Nothing was sent to it. It cannot be used until its owner approves it again; list-computers says how once it waits for that.";
    }
    return error;
  }
}
