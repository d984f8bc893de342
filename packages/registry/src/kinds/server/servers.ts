import { REQUEST_TIMEOUT_MS, ServerCloseCode, ServerErrorCode } from "@ccbridge/protocol/minecraft";
import type { Candidate, Dialect, ProviderRef, Sees } from "../../dialect.js";
import { LinkError, LinkErrorCode } from "../../errors.js";
import type { Provider } from "../../provider.js";
import type { LinkedElsewhere, Registry } from "../../registry.js";
import type { Channel, Origin, ProviderSession } from "../../session.js";
import { quoted } from "../../text.js";
import { BackendSession, type ServerBackend, type ServerEvent } from "./backend.js";
import { type EventCount, EventCounts, queuedEvents, takeEvent } from "./event-counts.js";
import { ServerLink, type ServerOrigin } from "./link.js";
import {
  isServer,
  isServerName,
  MINECRAFT,
  SERVER_NAME_RULE,
  type ServerProvider,
  serverKey,
} from "./provider.js";

/** Connections of servers, including those without a token so far. */
const MAX_CONNECTIONS = 256;

export type ServerSession = ServerLink | BackendSession;

function isServerSession(session: ProviderSession): session is ServerSession {
  return session instanceof ServerLink || session instanceof BackendSession;
}

/** Whether a server that is linked here or to another bridge makes way for one that links now. */
function yieldsTo(
  { provider, owner }: LinkedElsewhere,
  link: Pick<ServerSession, "owner" | "through">,
): boolean {
  if (!isServer(provider)) return false;
  return owner === link.owner || (provider.through !== undefined && link.through === undefined);
}

export interface Forwarded {
  readonly type: "command" | "query" | "event" | "response" | "error";
  readonly what: string;
  readonly source: string;
  readonly to: string;
}

export interface ServerTraffic {
  readonly server: ServerProvider;
  readonly isLinked: boolean;
  /** Received, by type. */
  readonly events: ReadonlyMap<string, number>;
  /** Numbered by the server, but never received. */
  readonly lost: number;
  /** Numbered by the server before it linked, and not received yet. */
  readonly queued: number;
  readonly openRequests: number;
}

export interface ServersOptions {
  /**
   * Names the owner of a token; undefined when it is unknown. There is no link without one. With `laterBecause` the
   * token was not looked at.
   */
  ownerOf(token: string, origin: Origin): string | undefined | { laterBecause: string };
  onForward?(message: Forwarded): void;
  /** How long callers wait for an answer; servers get it with the answer to their hello. */
  timeoutMs?: number;
}

/** The Minecraft servers: makes a session of each connection that speaks their dialect. */
export class Servers implements Dialect {
  readonly kind = MINECRAFT;
  readonly registry: Registry;
  readonly counts = new EventCounts();
  readonly #options: ServersOptions;
  readonly #connections = new Set<ServerLink>();

  constructor(registry: Registry, options: ServersOptions) {
    this.registry = registry;
    this.#options = options;
    registry.add(this);
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  }

  close(reason: string): void {
    for (const link of [...this.#connections]) link.close(LinkErrorCode.shuttingDown, reason);
  }

  attach(channel: Channel, origin: ServerOrigin): ServerLink {
    const link = new ServerLink(this, channel, origin);
    this.#connections.add(link);
    const { connectionError } = ServerErrorCode;
    if (!this.registry.takesLinks) {
      link.refuse(ServerCloseCode.goingAway, connectionError, "This bridge is shutting down.");
    } else if (this.#connections.size > MAX_CONNECTIONS) {
      link.refuse(
        ServerCloseCode.tooManyLinks,
        connectionError,
        "This bridge has no room for servers.",
      );
    } else if (origin.token !== undefined) {
      link.logIn(origin.token);
    }
    return link;
  }

  /** Links a server without a wire; returns why it cannot be linked. */
  connect(
    backend: ServerBackend,
  ): BackendSession | { closeCode: ServerCloseCode; message: string } {
    const { name, through } = backend;
    const candidate = { owner: through.key, through };
    const refusal = isServerName(name)
      ? this.reasonToRefuse(candidate, serverKey(name))
      : { closeCode: ServerCloseCode.policy, message: SERVER_NAME_RULE };
    if (refusal !== undefined) {
      const origin = { address: through.name };
      this.registry.changes.emit({ topic: "refused", origin, reason: refusal.message });
      return refusal;
    }
    const session = new BackendSession(this, backend);
    this.registry.join(session, { welcome: () => {} });
    return session;
  }

  receiveEvent(
    { provider, name }: ServerSession,
    count: EventCount,
    event: ServerEvent,
    size: number,
  ): void {
    const { eventType, timestamp, data } = event;
    const missing = takeEvent(count, event);
    if (missing === undefined) return;
    this.forwarded({ type: "event", what: eventType, source: name, to: "mcp" });
    const args = [data];
    const kept = { name: eventType, args, size, time: timestamp, dropped: missing };
    this.registry.events.receive(provider, kept);
  }

  detach(link: ServerLink): void {
    this.#connections.delete(link);
  }

  ownerOf(token: string, origin: Origin): ReturnType<ServersOptions["ownerOf"]> {
    return this.#options.ownerOf(token, origin);
  }

  forwarded(message: Forwarded): void {
    this.#options.onForward?.(message);
  }

  /**
   * Why a server cannot be linked under a key: others have the name, or the room. A server with a token takes
   * the name from one that comes through another provider, never the other way round.
   */
  reasonToRefuse(
    link: Pick<ServerSession, "owner" | "through">,
    key: string,
  ): { closeCode: ServerCloseCode; message: string } | undefined {
    if (!this.registry.takesLinks) {
      return { closeCode: ServerCloseCode.goingAway, message: "This bridge is shutting down." };
    }
    const earlier = this.registry.session(key);
    const other = earlier ?? this.registry.elsewhere(key);
    if (other !== undefined && !yieldsTo(other, link)) {
      const how = link.through === undefined ? "with another token" : "already";
      const message = `A server of this name is linked ${how}. Choose another name.`;
      return { closeCode: ServerCloseCode.nameTaken, message };
    }
    if (this.registry.hasRoom(key)) return undefined;
    const message = `This bridge has ${this.registry.limits.maxLinks} links, which is its limit.`;
    return { closeCode: ServerCloseCode.tooManyLinks, message };
  }

  list(): readonly ServerSession[] {
    return [...this.registry.sessions()]
      .filter(isServerSession)
      .sort((a, b) => (a.provider.serverName < b.provider.serverName ? -1 : 1));
  }

  /** The traffic of each server since this bridge started, also of those that are away. */
  traffic(): readonly ServerTraffic[] {
    return this.counts.all.map((count) => {
      const { server, totals } = count;
      const session = this.registry.session(server.key);
      return {
        server,
        isLinked: session !== undefined,
        events: totals.received,
        lost: totals.lost,
        queued: queuedEvents(count),
        openRequests: session?.runningRequests ?? 0,
      };
    });
  }

  /** Finds a server: the only one, or the one with that name. Never a guess. */
  find(ref: ProviderRef | undefined, sees: Sees = () => true): ServerSession {
    return this.select(
      ref,
      this.list().filter(({ provider }) => sees(provider)),
    );
  }

  select<T extends Candidate>(ref: ProviderRef | undefined, linked: readonly T[]): T {
    const name = ref === undefined ? undefined : String(ref);
    const [only] = linked;
    if (only !== undefined && name === undefined && linked.length === 1) return only;
    const found = linked.find(({ provider }) => this.matches(name ?? "", provider));
    if (found !== undefined) return found;
    const candidates = linked.map(({ provider }) => provider);
    const names = candidates
      .map((server) => (isServer(server) ? server.serverName : ""))
      .join(", ");
    if (name === undefined && linked.length > 1) {
      throw new LinkError(
        LinkErrorCode.ambiguous,
        `${linked.length} servers are linked: ${names}. Say which one with \`server\`.`,
        { candidates },
      );
    }
    const others = names === "" ? "No Minecraft server is linked." : `Linked servers: ${names}.`;
    const missing = name === undefined ? "" : `Server ${quoted(name, 64)} is not linked. `;
    throw new LinkError(LinkErrorCode.notLinked, missing + others, { candidates });
  }

  matches(ref: ProviderRef | undefined, provider: Provider): boolean {
    return isServer(provider) && (ref === undefined || provider.serverName === String(ref));
  }
}
