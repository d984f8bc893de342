import { randomUUID } from "node:crypto";
import { HttpTransport, type ServeSession } from "./transport/http-transport.js";

interface Session {
  transport: HttpTransport;
  usedAt: number;
}

export interface SessionsOptions {
  maxSessions: number;
  sessionIdleMs: number;
  serve: ServeSession;
}

/** The MCP sessions of all clients. Idle ones expire; a full house makes room where nobody waits. */
export class Sessions {
  // Insertion order is order of use: a used session moves to the end.
  readonly #sessions = new Map<string, Session>();
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

  /** Calls of all sessions that are not answered yet. */
  get openCalls(): number {
    let calls = 0;
    for (const { transport } of this.#sessions.values()) calls += transport.openCalls;
    return calls;
  }

  /** A session of this id, which is now in use. */
  get(id: string): HttpTransport | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    session.usedAt = performance.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport;
  }

  /** Opens a session, or returns undefined when the house is full of busy ones. */
  async open(): Promise<HttpTransport | undefined> {
    if (this.#sessions.size >= this.#options.maxSessions && !(await this.#makeRoom())) {
      return undefined;
    }
    const transport = new HttpTransport(randomUUID());
    this.#sessions.set(transport.sessionId, { transport, usedAt: performance.now() });
    await this.#options.serve(transport);
    return transport;
  }

  async end(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#sessions.delete(id);
    await session.transport.close();
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }

  async #makeRoom(): Promise<boolean> {
    for (const [id, { transport }] of this.#sessions) {
      if (!transport.busy) return this.end(id);
    }
    return false;
  }

  #expire(): void {
    const oldest = performance.now() - this.#options.sessionIdleMs;
    for (const [id, { transport, usedAt }] of this.#sessions) {
      if (usedAt > oldest) break;
      if (!transport.busy) void this.end(id);
    }
  }
}
