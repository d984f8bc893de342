import type { Outgoing } from "../answer.js";
import type { LinkError } from "../errors.js";
import type { Provider } from "../provider.js";

/** What is worth keeping of the result of a job, bounded. */
export interface KeptResult {
  /** All output that it repeats, for providers that do not stream. */
  readonly output: string;
  readonly result: unknown;
  /** What `result` weighs. */
  readonly bytes: number;
}

/** What jobs need of a provider's session. */
export interface JobSession {
  readonly provider: Provider;
  /** Writes a request without sending it. Throws a {@link LinkError} when it could not be sent. */
  prepare(id: string, method: string, params: unknown, trace?: string): Outgoing;
  /**
   * Sends a request whose answer comes by itself; returns why it cannot be sent. A provider that keeps jobs also
   * stops it at `stopAt`, in milliseconds since 1970.
   */
  send(request: Outgoing, stopAt?: number): LinkError | undefined;
  /** Asks the provider to stop a request; false when it cannot. */
  cancel(id: string, reason: string): boolean;
  /** Tells the provider that an answer arrived, if it wants to know. */
  acknowledge(id: string): void;
  /** Reads a result once and for all. Never throws. */
  keep(result: unknown): KeptResult;
}
