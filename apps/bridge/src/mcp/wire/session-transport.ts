import type { JsonRpcMessage, RequestId } from "../../http/json-rpc.js";

/** What a client sent in one piece. */
export interface Received {
  messages: JsonRpcMessage[];
  /** The ids of the requests among them. */
  ids: RequestId[];
  /** Whether one of them opens a session. */
  initializes: boolean;
  batch: boolean;
}

/** A session among all others. */
export interface SessionEntry {
  readonly sessionId: string;
  /** What would be lost with it. */
  readonly use: Use;
  /** Calls that a client waits for. */
  readonly openCalls: number;
  /** What the client said of itself, and the version of MCP that it asked for. */
  describe?: (() => { software: string | undefined; protocol: string | undefined }) | undefined;
  close(): Promise<void>;
}

/** What the server of a session needs of the transport that it speaks through. */
export interface SessionTransport extends SessionEntry {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(
    message: JsonRpcMessage,
    options?: { relatedRequestId?: RequestId | undefined },
  ): Promise<void>;
}

/** What a handler may know of the request behind a call: the SDK passes it on unchanged. */
export interface Caller {
  headers: Record<string, string>;
  /** Calls back when the client no longer waits for the answer. */
  onGone(listener: () => void): void;
}

/** How much would be lost with a session, from "never used" to "a call is open". */
export const Use = { none: 0, idle: 1, unread: 2, listening: 3, calling: 4 } as const;
export type Use = (typeof Use)[keyof typeof Use];

/** The error for a call whose session ends before it is answered. */
export const SESSION_ENDED =
  "The session ended. What this call began in the game continues: see list-jobs.";
