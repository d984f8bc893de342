import { randomUUID } from "node:crypto";
import { isSessionId } from "@ccbridge/protocol/btcp";
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { requestCredential } from "../../auth/credentials.js";
import type { Client } from "../../auth/rights/client.js";
import { sameSecret } from "../../auth/tokens.js";
import { addressKey } from "../../config/addresses.js";
import { refuse } from "../../http/errors.js";
import type { ClientFacts } from "../handlers/session.js";
import { type SessionEntry, Use } from "../sdk/session-transport.js";

export interface Opener {
  address: string;
  client: Client;
  credential?: string | undefined;
  pageSession?: string | undefined;
}

interface McpSession {
  entry: SessionEntry;
  address: string;
  client: Client;
  credential: string | undefined;
  usedAt: number;
}

/** A session as the dashboard shows it. Its id is a secret. */
export interface SessionFacts {
  readonly id: string;
  readonly client: Client;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
  readonly openCalls: number;
  readonly software?: string | undefined;
  readonly protocol?: string | undefined;
}

export interface SessionsOptions {
  /** What all session ids begin with. @default "" */
  idPrefix?: string;
  maxSessions: number;
  sessionIdleMs: number;
}

/** The MCP sessions of all clients. Idle ones expire; when there are too many, the least useful one ends. */
export class Sessions {
  readonly #sessions = new Map<string, McpSession>();
  readonly #gone = new WeakSet<Client>();
  readonly #options: SessionsOptions;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const everyMs = Math.min(options.sessionIdleMs / 2, 60_000);
    this.#sweeper = setInterval(() => this.#expire(), everyMs);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  get openCalls(): number {
    let calls = 0;
    for (const { entry } of this.#sessions.values()) calls += entry.openCalls;
    return calls;
  }

  /** Finds a session and marks it as used. Sessions of other clients do not exist. */
  get(id: string, client: Client): SessionEntry | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.client !== client) return undefined;
    session.usedAt = performance.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.entry;
  }

  isKnown(id: string, credential: string): boolean {
    const opened = this.#sessions.get(id)?.credential;
    return opened !== undefined && sameSecret(opened, credential);
  }

  async open<T extends SessionEntry>(
    opener: Opener,
    create: (id: string) => T,
    serve?: (entry: T) => Promise<void>,
  ): Promise<T | undefined> {
    const key = addressKey(opener.address);
    if (this.#sessions.size >= this.#options.maxSessions && !(await this.#makeRoom(key))) {
      return undefined;
    }
    if (this.#gone.has(opener.client)) return undefined;
    const entry = create(`${this.#options.idPrefix ?? ""}${randomUUID()}`);
    const usedAt = performance.now();
    const { client, credential } = opener;
    const session = { entry, address: key, client, credential, usedAt };
    this.#sessions.set(entry.sessionId, session);
    await serve?.(entry);
    // It may have been ended while its server was loaded.
    return this.#sessions.get(entry.sessionId) === session ? entry : undefined;
  }

  list(): SessionFacts[] {
    return [...this.#sessions].map(([id, { entry, client, usedAt }]) => ({
      id,
      client,
      usedAt: Date.now() - Math.round(performance.now() - usedAt),
      openCalls: entry.openCalls,
      ...entry.describe?.(),
    }));
  }

  async end(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#sessions.delete(id);
    await session.entry.close();
    return true;
  }

  async endAllOf(clients: ReadonlySet<Client>): Promise<void> {
    for (const client of clients) this.#gone.add(client);
    const ended = [...this.#sessions].filter(([, { client }]) => clients.has(client));
    await Promise.all(ended.map(([id]) => this.end(id)));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }

  // Evicts from the address with the most sessions: first a session without a reader, then the least recently
  // used. A session with open calls is evicted only for another address.
  async #makeRoom(newcomer: string): Promise<boolean> {
    const crowded = this.#mostCrowded();
    let found: string | undefined;
    let least: number = crowded === newcomer ? Use.calling : Use.calling + 1;
    for (const [id, { entry, address }] of this.#sessions) {
      if (address !== crowded || entry.use >= least) continue;
      least = entry.use;
      found = id;
    }
    return found !== undefined && this.end(found);
  }

  #mostCrowded(): string | undefined {
    const counts = new Map<string, number>();
    let most: string | undefined;
    for (const { address } of this.#sessions.values()) {
      const count = (counts.get(address) ?? 0) + 1;
      counts.set(address, count);
      if (most === undefined || count > (counts.get(most) ?? 0)) most = address;
    }
    return most;
  }

  #expire(): void {
    const oldest = performance.now() - this.#options.sessionIdleMs;
    for (const [id, { entry, usedAt }] of this.#sessions) {
      if (usedAt > oldest) break;
      if (entry.use <= Use.idle) void this.end(id);
    }
  }
}

function pageSessionOf({ query }: FastifyRequest): string | undefined {
  const { session, sessionId } = query as Record<string, string | string[] | undefined>;
  if (session === undefined && sessionId === undefined) return undefined;
  return [session, sessionId].flat().find((id) => id !== undefined && id !== "");
}

/** A client that names an invalid session of web pages would never see one. */
export const refuseBadSession: onRequestHookHandler = (request, reply, done) => {
  const id = pageSessionOf(request);
  if (id === undefined || isSessionId(id)) return done();
  refuse(reply, 400, "A session id is 1 to 128 letters, digits and . _ ~ -");
};

export function openerOf(request: FastifyRequest): Opener {
  const pageSession = pageSessionOf(request);
  const credential = requestCredential(request);
  return { address: request.ip, client: clientOf(request), credential, pageSession };
}

export function clientOf({ client }: FastifyRequest): Client {
  if (client === null) throw new Error("this route does not ask for a token");
  return client;
}

/** What a client sees depends on this, with a session or without. */
export function factsOf({ client, pageSession }: Opener): ClientFacts {
  return { client, pageSession };
}
