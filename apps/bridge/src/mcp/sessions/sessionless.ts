import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { wellFormedEscapes } from "@ccbridge/protocol";
import { printable } from "@ccbridge/registry";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../../auth/rights/client.js";
import { sessionName } from "../../calls/caller.js";
import { addressKey } from "../../config/addresses.js";
import { limits } from "../../config/limits.js";
import {
  fail,
  fullHouse,
  type JsonRpcMessage,
  RpcErrorCode,
  SESSION_GONE,
} from "../../http/errors.js";
import type { UnreadBudget } from "../../http/outgoing.js";
import { ResponseWriter } from "../../http/response-writer.js";
import { RpcError } from "../handlers/rpc-error.js";
import { type ClientFacts, type McpServices, McpSession } from "../handlers/session.js";
import { SESSION_ENDED, type SessionEntry, Use } from "../sdk/session-transport.js";
import type {
  CallScope,
  Questions,
  QuestionsElsewhere,
  SessionlessHandler,
} from "../sdk/sessionless-handler.js";
import { factsOf, openerOf, type Sessions } from "./sessions.js";

/** The first version without sessions. */
export const FIRST_SESSIONLESS = "2026-07-28";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const SOFTWARE_KEY = "io.modelcontextprotocol/clientInfo";

/** Whether a request is of the generation without sessions: every one of its requests states it. */
export function isSessionless(
  { headers }: Pick<FastifyRequest, "headers">,
  message?: JsonRpcMessage,
): boolean {
  const version = String(headers["mcp-protocol-version"]);
  if (/^\d{4}-\d\d-\d\d$/.test(version) && version >= FIRST_SESSIONLESS) return true;
  // An unknown version is refused in the format of this generation, with the known versions.
  return VERSION_KEY in metaOf(message);
}

function metaOf(message: JsonRpcMessage | undefined): Record<string, unknown> {
  const { _meta: meta } = (message?.params ?? {}) as { _meta?: Record<string, unknown> | null };
  return typeof meta === "object" && meta !== null ? meta : {};
}

function softwareOf(message: JsonRpcMessage | undefined): string | undefined {
  const { name, version } = Object(metaOf(message)[SOFTWARE_KEY]) as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return undefined;
  const all = typeof version === "string" ? `${name.slice(0, 80)} ${version}` : name;
  return printable(all.slice(0, 160)).slice(0, 80);
}

export interface SessionlessOptions {
  services: McpServices;
  sessions: Sessions;
  unread: UnreadBudget;
  /** What other bridges asked a client, by its name in {@link watcherOf}. */
  questions?: ((client: string) => QuestionsElsewhere) | undefined;
}

interface Shared {
  id: string;
  facts: ClientFacts;
  address: string;
  calls: OpenCalls;
  handler: Promise<SessionlessHandler>;
}

/**
 * Clients without sessions, identified by token, address and clientInfo: clients that agree in all three share one
 * internal session and what it watches. A client that listens gets a separate session, which counts among all
 * sessions and is evicted like them.
 */
export class Sessionless {
  readonly #options: SessionlessOptions;
  readonly #shared = new Set<Shared>();
  readonly #openBy = new Map<string, number>();

  constructor(options: SessionlessOptions) {
    this.#options = options;
  }

  async handle(
    request: FastifyRequest,
    reply: FastifyReply,
    message?: JsonRpcMessage,
  ): Promise<FastifyReply | undefined> {
    if (message?.method === "subscriptions/listen") return this.#listen(request, reply, message);
    const writer = new ResponseWriter(reply, this.#options.unread);
    const facts = { ...factsOf(openerOf(request)), software: softwareOf(message) };
    const { handler } = this.#sharedFor(facts, addressKey(request.ip));
    await pass(handler, request, writer, message);
    return undefined;
  }

  list(): { id: string; client: Client; software: string | undefined; openCalls: number }[] {
    return [...this.#shared].map(({ id, calls, facts: { client, software } }) => ({
      id,
      client,
      software,
      openCalls: calls.size,
    }));
  }

  /** What this bridge asked a client. Undefined when it is not known here. */
  async questionsFor(client: string): Promise<Questions | undefined> {
    for (const { facts, address, handler } of this.#shared) {
      if (watcherOf(facts, address) === client) return (await handler).questions;
    }
    return undefined;
  }

  get openCalls(): number {
    let calls = 0;
    for (const shared of this.#shared) calls += shared.calls.size;
    return calls;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared].map(closeShared));
  }

  async endAllOf(clients: ReadonlySet<Client>): Promise<void> {
    const ended = [...this.#shared].filter(({ facts }) => clients.has(facts.client));
    for (const shared of ended) this.#shared.delete(shared);
    await Promise.all(ended.map(closeShared));
  }

  #sharedFor(facts: ClientFacts, address: string): Shared {
    const shared = this.#find(facts, address) ?? this.#openShared(facts, address);
    this.#shared.delete(shared);
    if (this.#shared.size >= limits.sharedSessions) this.#makeRoom();
    this.#shared.add(shared);
    return shared;
  }

  #find({ client, pageSession, software }: ClientFacts, address: string): Shared | undefined {
    for (const shared of this.#shared) {
      const { facts } = shared;
      if (facts.client !== client || facts.software !== software) continue;
      if (facts.pageSession === pageSession && shared.address === address) return shared;
    }
    return undefined;
  }

  // Evicts the least recently used, preferably without open calls, of the address with the most: a client that
  // invents names evicts only its own.
  #makeRoom(): void {
    const groups = new Map<string, Shared[]>();
    for (const shared of this.#shared) {
      groups.set(shared.address, [...(groups.get(shared.address) ?? []), shared]);
    }
    const [most = []] = [...groups.values()].sort((a, b) => b.length - a.length);
    const shared = most.find(({ calls }) => calls.size === 0) ?? most[0];
    if (shared === undefined) return;
    this.#shared.delete(shared);
    void closeShared(shared);
  }

  #openShared(facts: ClientFacts, address: string): Shared {
    const id = randomUUID();
    const calls = new OpenCalls(this.#openBy);
    const watcher = watcherOf(facts, address);
    return { id, facts, address, calls, handler: this.#createHandler(id, facts, calls, watcher) };
  }

  async #listen(
    request: FastifyRequest,
    reply: FastifyReply,
    message: JsonRpcMessage,
  ): Promise<FastifyReply | undefined> {
    const { sessions, unread } = this.#options;
    const opener = openerOf(request);
    const listener = await sessions.open(opener, (id) => new Listener(id));
    if (listener === undefined) return fullHouse(reply);
    const handler = await this.#createHandler(
      listener.sessionId,
      factsOf(opener),
      new OpenCalls(new Map()),
    );
    // Its token may have been removed while the handler was loaded.
    if (sessions.get(listener.sessionId, opener.client) === undefined) {
      await handler.close();
      return fail(reply, 404, RpcErrorCode.sessionNotFound, SESSION_GONE);
    }
    const writer = new ResponseWriter(reply, unread);
    writer.onClose(() => void sessions.end(listener.sessionId));
    listener.onend = () => void handler.close().then(() => writer.end());
    await follow(handler.session, message, writer);
    await pass(handler, request, writer, message);
    return undefined;
  }

  async #createHandler(
    sessionId: string,
    facts: ClientFacts,
    calls: OpenCalls,
    watcher?: string,
  ): Promise<SessionlessHandler> {
    const { createSessionlessHandler } = await import("../sdk/sessionless-handler.js");
    const { services, questions } = this.#options;
    const kept = watcher === undefined ? {} : { watcher };
    const opened = { ...facts, ...kept, sessionId, programOf: () => facts.software };
    return createSessionlessHandler(
      services,
      calls,
      (news) => new McpSession(services, opened, news),
      watcher === undefined ? undefined : questions?.(watcher),
    );
  }
}

/** The same after a restart, so that the client still has its watches. A hash, because page sessions are secrets. */
function watcherOf({ client, software, pageSession }: ClientFacts, address: string): string {
  return sessionName(JSON.stringify([client.name, software, pageSession, address]));
}

async function closeShared({ calls, handler }: Shared): Promise<void> {
  calls.end();
  await (await handler).close();
}

class Listener implements SessionEntry {
  readonly sessionId: string;
  readonly use = Use.listening;
  readonly openCalls = 0;
  onend?: (() => void) | undefined;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  async close(): Promise<void> {
    this.onend?.();
  }
}

class OpenCalls implements CallScope {
  readonly #byAddress: Map<string, number>;
  readonly #enders = new Set<() => void>();

  constructor(byAddress: Map<string, number>) {
    this.#byAddress = byAddress;
  }

  get size(): number {
    return this.#enders.size;
  }

  /** Stops waiting for all calls. Their jobs in the game continue. */
  end(): void {
    for (const end of [...this.#enders]) end();
  }

  async run<T>(
    address: string,
    cancelled: AbortSignal,
    call: (signals: { signal: AbortSignal; gone: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const open = this.#byAddress.get(address) ?? 0;
    if (open >= limits.callsPerSession) {
      const text = `${limits.callsPerSession} calls of this address are open, which is the limit.`;
      throw new RpcError(RpcErrorCode.refused, text);
    }
    this.#byAddress.set(address, open + 1);
    const gone = new AbortController();
    let end = () => {};
    let cancel = () => {};
    const over = new Promise<never>((_, reject) => {
      end = () => {
        gone.abort();
        reject(new RpcError(RpcErrorCode.refused, SESSION_ENDED));
      };
      cancel = () => {
        gone.abort();
        reject(new RpcError(RpcErrorCode.cancelled, "Request cancelled"));
      };
    });
    this.#enders.add(end);
    cancelled.addEventListener("abort", cancel, { once: true });
    try {
      return await Promise.race([call({ signal: cancelled, gone: gone.signal }), over]);
    } finally {
      cancelled.removeEventListener("abort", cancel);
      this.#enders.delete(end);
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    }
  }
}

// Subscribes a client to what it names, without what cannot be followed. Yields between resources, since a client
// may name hundreds, and stops when the client is gone.
async function follow(
  session: McpSession,
  { params }: JsonRpcMessage,
  writer: ResponseWriter,
): Promise<void> {
  const { resourceSubscriptions, toolsListChanged } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
    toolsListChanged?: unknown;
  };
  // Changes of the tool list are sent only after tools/list, which this client called in another session.
  if (toolsListChanged === true) await session.tools.list();
  if (!Array.isArray(resourceSubscriptions)) return;
  for (const uri of resourceSubscriptions.slice(0, 256)) {
    await nextTurn();
    if (!writer.isOpen) return;
    await session.subscribe(String(uri)).catch(() => {});
  }
}

/** A fixed URL for the SDK: the request's own is untrusted. */
const ADDRESS = "http://bridge/mcp";

/** Answers a request through the bounded writer. Never rejects. */
async function pass(
  handler: SessionlessHandler | Promise<SessionlessHandler>,
  request: FastifyRequest,
  writer: ResponseWriter,
  parsedBody: unknown,
): Promise<void> {
  const gone = new AbortController();
  writer.onClose(() => gone.abort());
  const authInfo = { clientId: addressKey(request.ip), token: "", scopes: [] };
  try {
    const asked = new Request(ADDRESS, {
      method: request.method,
      headers: plainHeaders(request),
      signal: gone.signal,
      ...(parsedBody === undefined ? {} : { body: "{}" }),
    });
    const response = await (await handler).fetch(asked, { parsedBody, authInfo });
    writer.head(response.status, Object.fromEntries(response.headers));
    writer.flush();
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      writer.write(wellFormedEscapes(decoder.decode(chunk as Uint8Array, { stream: true })));
      if (!writer.isOpen) break;
    }
    writer.end();
  } catch {
    // The client is gone, or the bridge closes.
    writer.drop();
  }
}

function plainHeaders({ headers }: FastifyRequest): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && name !== "content-length" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}
