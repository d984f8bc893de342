import type { Answer } from "@ccbridge/registry";
import {
  type CancelOutcome,
  LinkError,
  type LinkErrorCode,
  type Provider,
  TooManyWatchersError,
} from "@ccbridge/registry";

// What bridges send each other: JSON, one message each.

export interface CallMessage {
  readonly type: "call";
  readonly id: string;
  readonly from: string;
  readonly op: string;
  readonly args: unknown;
}

/** Asks again for the answer of a call: it, or the call, may have been lost with a connection. */
export interface AgainMessage {
  readonly type: "again";
  readonly id: string;
  readonly from: string;
  /** How long ago it was sent first. */
  readonly ageMs: number;
}

interface CancelMessage {
  readonly type: "cancel";
  readonly id: string;
}

export type ToOwner = CallMessage | AgainMessage | CancelMessage;

export type FromOwner =
  | { readonly id: string; readonly ok: true; readonly value?: unknown }
  | { readonly id: string; readonly ok: false; readonly error: WireError }
  /** What it says of work that takes a while, before the answer. */
  | { readonly id: string; readonly begun: unknown }
  /** It is being worked on; it never came; or it may have come, too many calls ago. */
  | { readonly id: string; readonly state: "running" | "unknown" | "forgotten" };

export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cancel?: CancelOutcome | undefined;
  readonly response?: Answer | undefined;
  readonly hint?: string | undefined;
  readonly candidates?: readonly Provider[];
}

export function toWire(error: unknown): WireError {
  if (!(error instanceof LinkError)) {
    const { name, message } = error as Error;
    return { name, message };
  }
  const { name, message, code, cancel, response, hint, candidates } = error;
  return { name, message, code, cancel, response, hint, candidates };
}

export function fromWire(error: WireError): Error {
  const { name, message, code, cancel, response, hint, candidates = [] } = error;
  if (name === "TooManyWatchersError") return new TooManyWatchersError(message);
  if (code === undefined) return new Error(message);
  const facts = {
    candidates,
    ...(cancel === undefined ? {} : { cancel }),
    ...(response === undefined ? {} : { response }),
  };
  const rebuilt = new LinkError(code as LinkErrorCode, message, facts);
  rebuilt.hint = hint;
  return rebuilt;
}
