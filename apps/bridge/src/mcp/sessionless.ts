import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../access/client.js";
import type { JsonRpcMessage } from "../http/json-rpc.js";
import { limits } from "../limits.js";
import { addressKey } from "../net/address-key.js";
import { fullHouse } from "./answers.js";
import { factsOf, openerOf } from "./opener.js";
import type { Sessions } from "./sessions.js";
import { LoopTransport } from "./transport/loop-transport.js";
import type { Outlet, Outlets } from "./transport/outlets.js";
import type { ClientFacts, ServeSession } from "./transport/session-transport.js";

/** The first version without sessions. */
export const FIRST_SESSIONLESS = "2026-07-28";

/** Where a message of this generation says its version. */
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Whether a request is of the generation without sessions: every one of its requests says so. */
export function isSessionless({ headers }: FastifyRequest, message?: JsonRpcMessage): boolean {
  const version = String(headers["mcp-protocol-version"]);
  if (/^\d{4}-\d\d-\d\d$/.test(version) && version >= FIRST_SESSIONLESS) return true;
  // A version that nobody knows is refused in the words of this generation, with those that are known.
  const { _meta: meta } = (message?.params ?? {}) as { _meta?: Record<string, unknown> | null };
  return typeof meta === "object" && meta !== null && VERSION_KEY in meta;
}

export interface SessionlessOptions {
  version: string;
  instructions: string;
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

/** A session inside of this process that answers the calls of many clients. */
interface Shared {
  facts: ClientFacts;
  loop: LoopTransport;
  handler: Promise<Handler>;
}

/**
 * Clients without sessions. The calls of all that see the same share one session inside of this process;
 * each that listens has one of its own, which counts among all sessions and makes room as they do.
 */
export class Sessionless {
  readonly #options: SessionlessOptions;
  /** Insertion order is order of use. */
  readonly #shared = new Set<Shared>();

  constructor(options: SessionlessOptions) {
    this.#options = options;
  }

  async handle(
    request: FastifyRequest,
    reply: FastifyReply,
    message?: JsonRpcMessage,
  ): Promise<FastifyReply | undefined> {
    if (message?.method === "subscriptions/listen") return this.#listen(request, reply, message);
    const outlet = this.#options.outlets.open(reply);
    const { handler } = this.#sharedFor(factsOf(openerOf(request)));
    await pass(await handler, request, outlet, message);
    return undefined;
  }

  /** What clients share: the ids of the sessions inside of this process, and whose they are. */
  list(): { id: string; client: Client; openCalls: number }[] {
    return [...this.#shared].map(({ loop, facts: { client } }) => ({
      id: loop.sessionId,
      client,
      openCalls: loop.openCalls,
    }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared].map(closeShared));
  }

  /** Ends what clients share that may not come in any more. */
  async endAllOf(clients: ReadonlySet<Client>): Promise<void> {
    const ended = [...this.#shared].filter(({ facts }) => clients.has(facts.client));
    for (const shared of ended) this.#shared.delete(shared);
    await Promise.all(ended.map(closeShared));
  }

  #sharedFor(facts: ClientFacts): Shared {
    const shared = this.#find(facts) ?? this.#openShared(facts);
    this.#shared.delete(shared);
    if (this.#shared.size >= limits.sharedSessions) this.#makeRoom();
    this.#shared.add(shared);
    return shared;
  }

  /** The one of the same client that sees the same pages. */
  #find({ client, pageSession }: ClientFacts): Shared | undefined {
    for (const shared of this.#shared) {
      const { facts } = shared;
      if (facts.client === client && facts.pageSession === pageSession) return shared;
    }
    return undefined;
  }

  /** Closes what was not used for longest, if possible something that nobody waits for. */
  #makeRoom(): void {
    const all = [...this.#shared];
    const shared = all.find(({ loop }) => loop.openCalls === 0) ?? all[0];
    if (shared === undefined) return;
    this.#shared.delete(shared);
    void closeShared(shared);
  }

  #openShared(facts: ClientFacts): Shared {
    const loop = new LoopTransport(randomUUID());
    const ready = this.#options.serve(loop, facts);
    return { facts, loop, handler: ready.then(() => this.#createHandler(loop)) };
  }

  async #listen(
    request: FastifyRequest,
    reply: FastifyReply,
    message: JsonRpcMessage,
  ): Promise<FastifyReply | undefined> {
    const { sessions, outlets } = this.#options;
    const loop = await sessions.open(openerOf(request), (id) => new LoopTransport(id));
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
    const { version, instructions } = this.#options;
    return createModernHandler({ version, instructions, loop });
  }
}

async function closeShared({ loop, handler }: Shared): Promise<void> {
  await loop.close();
  await (await handler).close();
}

/** Makes the server tell of what a client wants to hear of. What cannot be followed is left out. */
async function follow(loop: LoopTransport, { params }: JsonRpcMessage): Promise<void> {
  const { resourceSubscriptions, toolsListChanged } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
    toolsListChanged?: unknown;
  };
  const call = { client: "", gone: new AbortController().signal, notify: () => {} };
  const ask = (method: string, params: object) =>
    loop.request(method, params, call).catch(() => {});
  // Only who has seen a list of tools is told that it changed; this client asked for it elsewhere.
  if (toolsListChanged === true) await ask("tools/list", {});
  if (!Array.isArray(resourceSubscriptions)) return;
  for (const uri of resourceSubscriptions.slice(0, 256)) await ask("resources/subscribe", { uri });
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
