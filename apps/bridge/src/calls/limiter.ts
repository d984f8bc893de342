import { Budget } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";
import { limits } from "../config/limits.js";
import { CallRefused } from "./refusal.js";

/** Shorter arguments are bounded by the number of calls. */
const SHORT = 4_096;

/** Bounds the running calls of all clients, including those whose client no longer waits. */
export class CallLimiter {
  #running = 0;
  readonly #length = new Budget<Client>({ total: limits.callLength });

  /** Counts a call until the returned function is called. Throws when the limit is reached. */
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

/** Approximate length in characters. Depth is already bounded by the JSON reader. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const key in value) length += key.length + lengthOf((value as Record<string, unknown>)[key]);
  return length;
}
