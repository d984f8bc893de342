import { bareResult, isSessionId, PageErrorCode, toAgentError } from "@ccbridge/protocol/btcp";
import { PAGE } from "@ccbridge/registry";
import { type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import type { PeerSocket } from "../../http/peer-socket.js";
import type { AgentOpening } from "../../links/agent-admission.js";
import type { SessionTransport } from "../sdk/session-transport.js";
import { DuplexTransport, type Wire } from "./duplex-transport.js";
import type { RouteContext } from "./http-routes.js";
import { readMessages, serialize } from "./messages.js";
import { keepAlive, wireOf } from "./websocket.js";

const INITIALIZE = {
  protocolVersion: "2024-11-05",
  capabilities: {},
  clientInfo: { name: "BTCP agent", version: "1.0" },
};

/**
 * Serves an agent that speaks the protocol of pages (BTCP): `session/join`, `tools/list` and `tools/call`, with bare
 * results and words as error codes. It is an MCP client whose messages are translated.
 */
export async function serveAgent(
  { sessions, serve }: RouteContext,
  peer: PeerSocket,
  opening: AgentOpening,
): Promise<void> {
  const { client, credential, session } = opening;
  const wire = new AgentWire(peer);
  keepAlive(peer);
  // Nothing is read before the session is ready.
  peer.pause();
  const opener = { address: peer.address, client, credential };
  const transport = await sessions.open(opener, (id) => new DuplexTransport(id, wire));
  peer.resume();
  if (transport === undefined) return peer.close(1_013, "too many sessions are busy");
  const ended = () => void sessions.end(transport.sessionId);
  if (!peer.isOpen) return ended();
  const agent = new Agent(wire, transport, (pageSession) =>
    serve(transport, { client, pageSession, kind: PAGE }),
  );
  let last = session === undefined ? Promise.resolve() : agent.join(session);
  peer.listener = {
    receive(text) {
      const received = readMessages(text);
      if ("code" in received) wire.answer({ error: received });
      else if (sessions.get(transport.sessionId, client) === undefined) {
        wire.answer({ error: { message: "The session ended. Connect again." } });
      } else for (const message of received.messages) last = last.then(() => agent.take(message));
    },
    receiveBinary: () => peer.close(1_003, "agents use text frames"),
    closed: ended,
  };
}

class Agent {
  readonly #wire: AgentWire;
  readonly #transport: SessionTransport & Pick<DuplexTransport, "take">;
  readonly #serve: (session: string | undefined) => Promise<void>;
  #joined: { readonly session: string | undefined } | undefined;

  constructor(
    wire: AgentWire,
    transport: SessionTransport & Pick<DuplexTransport, "take">,
    serve: (session: string | undefined) => Promise<void>,
  ) {
    this.#wire = wire;
    this.#transport = transport;
    this.#serve = serve;
  }

  async join(session: string | undefined): Promise<void> {
    this.#joined = { session };
    this.#wire.session = session;
    await this.#serve(session);
  }

  async take(message: JsonRpcMessage): Promise<void> {
    const { id, method, params } = message;
    if (id === undefined) {
      if (method !== "notifications/cancelled") return;
      this.#wire.forget(params?.requestId as RequestId);
      return this.#transport.take([message]);
    }
    if (method === undefined) return;
    const problem = await this.#problem(method, params);
    if (problem !== undefined) return this.#wire.answer({ id, error: problem });
    if (!this.#wire.expect(id, method)) {
      const error = {
        code: RpcErrorCode.invalidRequest,
        message: "A request with this id is still open.",
      };
      return this.#wire.answer({ id, error });
    }
    const isJoin = method === "session/join";
    this.#transport.take([
      isJoin ? { jsonrpc: "2.0", id, method: "initialize", params: INITIALIZE } : message,
    ]);
  }

  /** Joins the session that the first message names, or the common one. */
  async #problem(method: string, params: JsonRpcMessage["params"]): Promise<Problem | undefined> {
    if (method !== "session/join") {
      if (!methods.has(method)) {
        return { code: RpcErrorCode.methodNotFound, message: `Method not found: ${method}` };
      }
      if (this.#joined === undefined) await this.join(undefined);
      return undefined;
    }
    const wanted = params?.sessionId ?? undefined;
    if (wanted !== undefined && !(typeof wanted === "string" && isSessionId(wanted))) {
      const message = "A session id is 1 to 128 letters, digits and . _ ~ -";
      return { message, data: { btcpCode: PageErrorCode.invalidParams } };
    }
    if (this.#joined === undefined) await this.join(wanted);
    if (this.#joined?.session === wanted) return undefined;
    const message = "This connection is in a session already; connect again to join another.";
    return { code: RpcErrorCode.invalidRequest, message };
  }
}

const methods: ReadonlySet<string> = new Set(["tools/list", "tools/call", "ping"]);

interface Problem {
  readonly code?: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Writes what MCP answers in the form that agents expect. */
class AgentWire implements Wire {
  session: string | undefined;
  readonly #wire: Wire;
  readonly #open = new Map<RequestId, string>();

  constructor(peer: PeerSocket) {
    this.#wire = wireOf(peer);
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  get unreadBytes(): number {
    return this.#wire.unreadBytes;
  }

  /** Notes a request, whose answer depends on its method. False if its id is in use. */
  expect(id: RequestId, method: string): boolean {
    if (this.#open.has(id)) return false;
    this.#open.set(id, method);
    return true;
  }

  forget(id: RequestId): void {
    this.#open.delete(id);
  }

  answer({ id = null, error }: { id?: RequestId | null; error: Problem }): void {
    this.#write({ id, error: toAgentError(error) });
  }

  send(text: string): void {
    const { id, method, params, result, error } = JSON.parse(text) as JsonRpcMessage;
    if (method === "notifications/tools/list_changed") {
      this.#write({ method: "tools/updated", params: {} });
    } else if (method === "notifications/progress") this.#write({ method, params });
    if (method !== undefined || id === undefined) return;
    const asked = this.#open.get(id);
    this.#open.delete(id);
    this.#write(
      error == null ? { id, ...this.#bare(asked, result) } : { id, error: toAgentError(error) },
    );
  }

  end(): void {
    this.#wire.end();
  }

  onClose(listener: () => void): void {
    this.#wire.onClose(listener);
  }

  #bare(method: string | undefined, result: unknown): object {
    switch (method) {
      case "session/join":
        return { result: { success: true, sessionId: this.session ?? null } };
      case "tools/list":
        return { result: (result as { tools: unknown }).tools };
      case "tools/call":
        return bareResult(result);
      default:
        return { result: { pong: true } };
    }
  }

  #write(message: object): void {
    const text = serialize({ jsonrpc: "2.0", ...message } as JsonRpcMessage);
    if (text !== undefined) this.#wire.send(text);
  }
}
