import type { JsonRpcMessage, RequestId } from "../../http/errors.js";

export interface Received {
  messages: JsonRpcMessage[];
  ids: RequestId[];
  initializes: boolean;
  batch: boolean;
}

export interface SessionEntry {
  readonly sessionId: string;
  readonly use: Use;
  readonly openCalls: number;
  /** From initialize: clientInfo and the requested version. */
  describe?: (() => { software: string | undefined; protocol: string | undefined }) | undefined;
  close(): Promise<void>;
}

export interface SessionTransport extends SessionEntry {
  /** Messages are checked with `messageKind` before. */
  onmessage?: ((message: JsonRpcMessage, caller?: Requester) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** A message that belongs to a call travels with its answer. Returns false if it cannot be sent. */
  send(message: JsonRpcMessage, call?: RequestId): boolean;
}

export interface Requester {
  /** Calls back when the client no longer waits for the answer. */
  onGone(listener: () => void): void;
}

/** Eviction order, from "never used" to "a call is open". */
export const Use = { none: 0, idle: 1, unread: 2, listening: 3, calling: 4 } as const;
export type Use = (typeof Use)[keyof typeof Use];

/** The error for a call whose session ends before it is answered. */
export const SESSION_ENDED =
  "The session ended. What this call began in the game continues: see list-jobs.";
