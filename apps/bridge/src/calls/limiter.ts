import { Budget } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";
import { limits } from "../config/limits.js";
import { CallRefused } from "./refusal.js";

/** Arguments below this length are bounded by the number of calls. */
const SHORT = 4_096;

/** Bounds what the bridge works on for all clients, even for those that no longer wait for it. */
export class CallLimiter {
  #running = 0;
  /** Characters in the long arguments of the calls that run. */
  readonly #length = new Budget<Client>({ total: limits.callLength });

  /** Counts a call with these arguments until the returned function is called. Throws when there is no room. */
  enter(client: Client, args: unknown): () => void {
    if (this.#running >= limits.callsAtOnce) {
      throw new CallRefused(
        `The bridge is working on ${limits.callsAtOnce} calls, which is its limit.`,
        "Nothing was done. Try again later.",
      );
    }
    const length = lengthOf(args);
    const counted = length > SHORT ? length : 0;
    if (!this.#length.take(client, counted)) {
      throw new CallRefused(
        "The calls that the bridge is working on hold as much text as it allows.",
        "Nothing was done. Try again when some of them are done, or send less in one call.",
      );
    }
    this.#running += 1;
    return () => {
      this.#running -= 1;
      this.#length.give(client, counted);
    };
  }
}

/** About how many characters some arguments hold. Their depth is bounded where they are read. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const key in value) length += key.length + lengthOf((value as Record<string, unknown>)[key]);
  return length;
}
