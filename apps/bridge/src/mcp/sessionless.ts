import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestCredential } from "../http/credentials.js";
import type { JsonRpcMessage } from "../http/json-rpc.js";
import { addressKey } from "../net/address-key.js";
import { fullHouse } from "./answers.js";
import type { Sessions } from "./sessions.js";
import { LoopTransport } from "./transport/loop-transport.js";
import type { Outlet, Outlets } from "./transport/outlets.js";
import type { ServeSession } from "./transport/session-transport.js";

/** The first version without sessions. */
const FIRST = "2026-07-28";

/** Whether a request is of the generation without sessions: every one of its requests says so. */
export function isSessionless({ headers }: FastifyRequest): boolean {
  const version = String(headers["mcp-protocol-version"]);
  return /^\d{4}-\d\d-\d\d$/.test(version) && version >= FIRST;
}

export interface SessionlessOptions {
  version: string;
  serve: ServeSession;
  sessions: Sessions;
  outlets: Outlets;
}

/** Who asks, in the words of the SDK: it hands this on to whoever answers. */
interface AuthInfo {
  clientId: string;
  token: string;
  scopes: string[];
}

interface Handler {
  fetch(request: Request, options: { parsedBody?: unknown; authInfo: AuthInfo }): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Clients without sessions. Their calls share one session inside of this process; each that listens has
 * one of its own, which counts among all sessions and makes room as they do.
 */
export class Sessionless {
  readonly #options: SessionlessOptions;
  #shared: Promise<{ loop: LoopTransport; handler: Handler }> | undefined;

  constructor(options: SessionlessOptions) {
    this.#options = options;
  }

  async handle(
    request: FastifyRequest,
    reply: FastifyReply,
    message?: JsonRpcMessage,
  ): Promise<FastifyReply | undefined> {
    if (message?.method === "subscriptions/listen") return this.#listen(request, reply, message);
    this.#shared ??= this.#openShared();
    const { handler } = await this.#shared;
    await pass(handler, request, this.#options.outlets.open(reply), message);
    return undefined;
  }

  async close(): Promise<void> {
    const shared = await this.#shared;
    await shared?.loop.close();
    await shared?.handler.close();
  }

  async #openShared() {
    const loop = new LoopTransport(randomUUID());
    await this.#options.serve(loop);
    return { loop, handler: await this.#createHandler(loop) };
  }

  async #listen(
    request: FastifyRequest,
    reply: FastifyReply,
    message: JsonRpcMessage,
  ): Promise<FastifyReply | undefined> {
    const { sessions, outlets } = this.#options;
    const opener = { address: request.ip, credential: requestCredential(request) };
    const loop = await sessions.open(opener, (id) => new LoopTransport(id));
    if (loop === undefined) return fullHouse(reply);
    const handler = await this.#createHandler(loop);
    const outlet = outlets.open(reply);
    outlet.onClose(() => void sessions.end(loop.sessionId));
    loop.onend = () => void handler.close().then(() => outlet.end());
    await follow(loop, message);
    await pass(handler, request, outlet, message);
    return undefined;
  }

  async #createHandler(loop: LoopTransport): Promise<Handler> {
    const { createModernHandler } = await import("./sdk/modern.js");
    return createModernHandler({ version: this.#options.version, loop });
  }
}

/** Makes the server tell of what a client wants to hear of. What cannot be followed is left out. */
async function follow(loop: LoopTransport, { params }: JsonRpcMessage): Promise<void> {
  const { resourceSubscriptions } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
  };
  if (!Array.isArray(resourceSubscriptions)) return;
  const call = { client: "", gone: new AbortController().signal, notify: () => {} };
  for (const uri of resourceSubscriptions.slice(0, 256)) {
    await loop.request("resources/subscribe", { uri }, call).catch(() => {});
  }
}

/** Has a request answered, through the outlet, which keeps the bounds. */
async function pass(
  handler: Handler,
  request: FastifyRequest,
  outlet: Outlet,
  parsedBody: unknown,
): Promise<void> {
  const gone = new AbortController();
  outlet.onClose(() => gone.abort());
  const { host } = request.headers;
  const asked = new Request(`http://${host}${request.url}`, {
    method: request.method,
    headers: plainHeaders(request),
    signal: gone.signal,
    ...(parsedBody === undefined ? {} : { body: "{}" }),
  });
  const authInfo = { clientId: addressKey(request.ip), token: "", scopes: [] };
  try {
    const response = await handler.fetch(asked, { parsedBody, authInfo });
    outlet.head(response.status, Object.fromEntries(response.headers));
    outlet.flush();
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      outlet.write(decoder.decode(chunk as Uint8Array, { stream: true }));
      if (!outlet.isOpen) break;
    }
    outlet.end();
  } catch {
    // The client is gone, or the bridge closes: there is nobody to tell.
    outlet.destroy();
  }
}

function plainHeaders({ headers }: FastifyRequest): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && name !== "content-length" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}
