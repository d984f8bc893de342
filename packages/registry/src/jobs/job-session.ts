import { type LuaValue, LuaValueSchema, type Screen } from "@ccbridge/protocol";
import type { LinkError } from "../errors.js";
import type { Outgoing, Provider } from "../provider.js";

export interface MovedItems {
  readonly from: string;
  readonly to?: string | undefined;
  readonly item: string;
  readonly count: number;
}

export interface JobResult {
  readonly returns: readonly LuaValue[];
  readonly lost?: number | undefined;
  readonly screen?: Screen | undefined;
  /** Items that it moved, and from where. */
  readonly moved?: readonly MovedItems[] | undefined;
  /** Whether its provider keeps what it changed, until that is asked for. */
  readonly kept?: boolean | undefined;
}

export type JobAnswer =
  | { readonly ok: true; readonly result: JobResult }
  | { readonly ok: false; readonly error: string; readonly result: JobResult };

export interface KeptResult {
  /** All output that it repeats, for providers that do not stream. */
  readonly output: string;
  /** Whether `output` is only the end of it. */
  readonly isPartial: boolean;
  readonly result: JobResult;
  readonly bytes: number;
}

export function keepValue(result: unknown): KeptResult {
  const returns = result === undefined ? [] : [LuaValueSchema.parse(result)];
  const bytes = JSON.stringify(returns).length;
  return { output: "", isPartial: false, result: { returns }, bytes };
}

export interface JobSession {
  readonly provider: Provider;
  /** Writes a request without sending it. Throws a {@link LinkError} when it could not be sent. */
  prepare(id: string, method: string, params: unknown, trace?: string): Outgoing;
  /**
   * Sends a request whose answer comes by itself; returns why it cannot be sent. A provider that keeps jobs also
   * stops it at `stopAt`, in milliseconds since 1970.
   */
  send(request: Outgoing, stopAt?: number, isChecked?: boolean): LinkError | undefined;
  cancel(id: string, reason: string): boolean;
  acknowledge(id: string): void;
  /** Reads a result once and for all. Never throws. */
  keep(result: unknown): KeptResult;
}
