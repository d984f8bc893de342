import { type EventFrame, type Hello, isQuery, isToolName } from "@ccbridge/protocol/minecraft";
import type { LinkErrorCode } from "../../errors.js";
import { type KeptResult, keepValue } from "../../jobs/job-session.js";
import type { Answer, Outgoing, Provider } from "../../provider.js";
import { ProviderSession } from "../../session.js";
import type { EventCount } from "./event-counts.js";
import { identifyServer, type ServerProvider } from "./provider.js";
import type { Servers } from "./servers.js";

export interface ServerBackend {
  readonly name: string;
  /** The owner allowed this provider, so the server needs no token. */
  readonly through: Provider;
  readonly hello: Hello;
  /** Calls a tool of the server. Must not reject. */
  call(name: string, args: object): Promise<Answer>;
  isAlive(): boolean;
  ended(code: LinkErrorCode, reason: string): void;
}

export type ServerEvent = Omit<EventFrame["payload"], "timestamp"> & {
  readonly timestamp?: number | undefined;
};

interface BackendRequest extends Outgoing {
  readonly args: object;
}

export class BackendSession extends ProviderSession {
  readonly #servers: Servers;
  readonly #backend: ServerBackend;
  readonly provider: ServerProvider;
  readonly identified = true;
  readonly #events: EventCount;

  constructor(servers: Servers, backend: ServerBackend) {
    super(servers.registry.host, { address: backend.through.name });
    this.#servers = servers;
    this.#backend = backend;
    const { name, hello, through } = backend;
    this.provider = identifyServer(name, hello, through);
    this.#events = servers.counts.begin(this.provider, hello);
  }

  override get owner(): string {
    return this.#backend.through.key;
  }

  get through(): Provider {
    return this.#backend.through;
  }

  prepare(id: string, method: string, params: unknown): BackendRequest {
    return { id, method, bytes: 0, args: (params ?? {}) as object };
  }

  cancel(): boolean {
    return false;
  }

  acknowledge(): void {}

  keep(result: unknown): KeptResult {
    return keepValue(result);
  }

  ping(): void {
    if (this.#backend.isAlive()) this.seen();
  }

  receiveEvent(event: ServerEvent): void {
    if (!this.open) return;
    this.seen();
    this.#servers.receiveEvent(this, this.#events, event, JSON.stringify(event).length);
  }

  protected sendProblem(): undefined {
    return undefined;
  }

  protected transmit({ id, method, args }: BackendRequest): void {
    const type = isToolName(method) && isQuery(method) ? "query" : "command";
    this.#servers.forwarded({ type, what: method, source: "mcp", to: this.name });
    this.sent();
    void this.#backend.call(method, args).then((answer) => {
      if (!this.open) return;
      this.seen();
      if (this.settle(id, answer) === undefined) return;
      const answered = answer.ok ? "response" : "error";
      this.#servers.forwarded({ type: answered, what: method, source: this.name, to: "mcp" });
    });
  }

  protected hangUp(code: LinkErrorCode, reason: string): void {
    this.#backend.ended(code, reason);
  }
}
