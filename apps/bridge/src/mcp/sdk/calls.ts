import { Listeners, type StopSignal } from "@ccbridge/registry";
import { ErrorCode } from "../../http/json-rpc.js";
import { limits } from "../../limits.js";
import type { Caller } from "../transport/session-transport.js";
import type { StopCall } from "../transport/tool-call.js";
import { RpcError } from "./errors.js";

/** Arguments below this length are bounded by the number of calls. */
const SHORT = 4_096;

/** Counts what the bridge works on for all clients, whether or not they still wait for it. */
export class CallGate {
  #running = 0;
  /** Characters in the long arguments of the calls that run. */
  #length = 0;

  /** Does the work of one call with these arguments, if there is room for both. */
  async run<T>(args: unknown, work: () => Promise<T> | T): Promise<T> {
    const weight = this.begin(args);
    try {
      return await work();
    } finally {
      this.end(weight);
    }
  }

  /** Counts a call with these arguments; returns what {@link end} needs. Throws when there is no room. */
  begin(args: unknown): number {
    const length = lengthOf(args);
    const kept = length > SHORT ? length : 0;
    if (kept > 0 && this.#length + kept > limits.callLength) {
      throw new RpcError(
        ErrorCode.internal,
        "The calls that the bridge is working on hold as much text as it allows. Try again when some of them are done, or send less in one call.",
      );
    }
    if (this.#running >= limits.callsAtOnce) {
      throw new RpcError(
        ErrorCode.internal,
        `The bridge is working on ${limits.callsAtOnce} calls, which is its limit. Try again later.`,
      );
    }
    this.#running += 1;
    this.#length += kept;
    return kept;
  }

  /** The work of a call is done. */
  end(weight: number): void {
    this.#running -= 1;
    this.#length -= weight;
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

/** How a call learns that it should stop, and that nobody waits for it. */
export interface CallSignals {
  /** Aborted when the client cancels the call. */
  readonly signal: StopSignal;
  /** Aborted when nobody waits for the answer, for whatever reason. */
  readonly gone: StopSignal;
  /** The line to the client, where it is not the session itself. */
  readonly line?: Caller["line"];
  /** Does something once the call is answered. */
  readonly afterwards?: ((work: () => void) => void) | undefined;
}

/** A signal that costs next to nothing while nobody gives it: every call has two of them. */
class LightSignal implements StopSignal {
  #listeners: Listeners | undefined;
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#aborted) return;
    this.#listeners ??= new Listeners();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  /** Tells everybody who listens, once. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#listeners?.tell();
  }
}

/** The signals of a call that did not come through the SDK. */
export class OwnSignals implements CallSignals {
  readonly signal = new LightSignal();
  readonly gone = new LightSignal();
  #work: (() => void)[] | undefined;

  readonly afterwards = (work: () => void): void => {
    this.#work ??= [];
    this.#work.push(work);
  };

  /** The answer is on its way. */
  answered(): void {
    for (const work of this.#work ?? []) work();
    this.#work = undefined;
  }

  readonly stop: StopCall = (why) => {
    if (why === "cancelled") this.signal.abort();
    this.gone.abort();
  };
}

/** What the SDK tells a handler about its call, as far as it matters here. */
interface CallFacts {
  signal: AbortSignal;
  requestInfo?: unknown;
}

/**
 * What a call has of its caller. Tells a cancelled call from one whose client is gone. The SDK's own signal
 * aborts in both cases, but a client that goes away has not asked for anything in the game to stop.
 */
export function callSignals(
  { signal: either, requestInfo }: CallFacts,
  session: AbortSignal,
): CallSignals {
  const cancelled = new AbortController();
  const gone = new AbortController();
  const onAbort = () => {
    if (!session.aborted) cancelled.abort(either.reason);
    gone.abort();
  };
  if (either.aborted) onAbort();
  else either.addEventListener("abort", onAbort, { once: true });
  const caller = requestInfo as Partial<Caller> | undefined;
  caller?.onGone?.(() => gone.abort());
  return { signal: cancelled.signal, gone: gone.signal, line: caller?.line };
}
