import type { ClientLine } from "@ccbridge/mcp-tools";
import type { Client } from "../../access/client.js";
import type { JsonRpcMessage, RequestId } from "../../http/json-rpc.js";
import type { StopCall, ToolCall } from "./tool-call.js";

/** What the server of a session needs of the transport that it speaks through. */
export interface SessionTransport {
  readonly sessionId: string;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Takes plain calls of tools, for which the server's own way is long; returns how to stop one. */
  ontoolcall?: ((call: ToolCall) => StopCall) | undefined;
  start(): Promise<void>;
  send(
    message: JsonRpcMessage,
    options?: { relatedRequestId?: RequestId | undefined },
  ): Promise<void>;
  close(): Promise<void>;
  /** What the client said of itself, and the version of MCP that it asked for. */
  describe?: (() => { software: string | undefined; protocol: string | undefined }) | undefined;
  /** What would be lost with this session. */
  readonly use: Use;
  /** Calls that somebody waits for. */
  readonly openCalls: number;
}

/** What a handler may know of the request behind a call: the SDK hands it on as it is. */
export interface Caller {
  headers: Record<string, string>;
  /** Calls back when nobody waits for the answer. */
  onGone(listener: () => void): void;
  /** The line to the client, where it is not the session itself. */
  line?: ClientLine | undefined;
  /** Whether the client shows views, where each request states it. */
  rendersApps?: boolean | undefined;
}

/** Serves the client on the other end of a transport. Called once per session. */
export type ServeSession = (transport: SessionTransport, opened: ClientFacts) => Promise<void>;

/** Who a client is, and what it said of itself by the way it connects. */
export interface ClientFacts {
  client: Client;
  /** The session of web pages that it wants to see instead of the common one. */
  pageSession?: string | undefined;
  /** What its program says it is, when that is known from the beginning. */
  software?: string | undefined;
}

/** How likely it is that somebody misses a session, from "nobody ever asked" to "a call is open". */
export const Use = { none: 0, idle: 1, unread: 2, listening: 3, calling: 4 } as const;
export type Use = (typeof Use)[keyof typeof Use];

/** The error for a call whose session ends before it is answered. */
export const SESSION_ENDED =
  "The session ended. What this call began in the game continues: see list-jobs.";
