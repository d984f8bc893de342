import { randomUUID } from "node:crypto";
import {
  type CommandFrame,
  DIALECT_VERSION,
  decodeFrame,
  EventNameSchema,
  encodeError,
  encodeEvent,
  encodeFailure,
  encodeResponse,
  isToolName,
  type QueryFrame,
  ServerErrorCode,
  type WireError,
} from "@ccbridge/protocol/minecraft";
import { BoundedMap, MINECRAFT } from "@ccbridge/registry";
import { z } from "zod";
import type { JsonRpcMessage, RequestId } from "../../http/errors.js";
import type { PeerSocket } from "../../http/peer-socket.js";
import type { GameClientOpening } from "../../links/servers.js";
import { DuplexTransport, type Wire } from "./duplex-transport.js";
import type { RouteContext } from "./http-routes.js";
import { keepAlive, wireOf } from "./websocket.js";

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "Minecraft bridge client", version: DIALECT_VERSION },
};
const SERVERS = "minecraft://servers";
const EVENTS_META = "dev.ccbridge/events";
const ERROR_META = "dev.ccbridge/error";
const MAX_MALFORMED = 20;
/** Most are from before the subscription, and are never announced. */
const MAX_CAUGHT_UP = 4_096;
const POLICY_CLOSE = 1_008;

/**
 * Serves a client that speaks the protocol of Minecraft servers from the other end, with `source: "mcp"`. It is an MCP
 * client whose messages are translated: its commands and queries are calls of the tools of these names, and the events
 * of the servers that it may see are resources that it follows.
 */
export async function serveGameClient(
  { sessions, serve }: RouteContext,
  peer: PeerSocket,
  { client, credential, first }: GameClientOpening,
): Promise<void> {
  keepAlive(peer);
  // Nothing is read before the session is ready.
  peer.pause();
  const game = new GameClient(peer);
  const opener = { address: peer.address, client, credential };
  const transport = await sessions.open(
    opener,
    (id) => new DuplexTransport(id, game),
    (opened) => serve(opened, { client, kind: MINECRAFT, wantsFacts: true }),
  );
  peer.resume();
  if (transport === undefined) return peer.close(1_013, "too many sessions are busy");
  const ended = () => void sessions.end(transport.sessionId);
  if (!peer.isOpen) return ended();
  peer.listener = {
    receive(text) {
      if (sessions.get(transport.sessionId, client) === undefined) ended();
      else game.take(text);
    },
    receiveBinary: () => peer.close(1_003, "this port uses text frames"),
    closed: ended,
  };
  await game.start(transport);
  if (first !== undefined) game.take(first);
}

const SubscriptionSchema = z.object({
  eventTypes: z.array(EventNameSchema).max(16).default([]),
});

const EventSchema = z.object({
  server: z.string(),
  seq: z.int(),
  event: z.string(),
  time: z.string(),
  data: z.unknown(),
});
type ServerEvent = z.infer<typeof EventSchema>;

const NewsSchema = z.object({ events: z.array(EventSchema), cursor: z.int() });

const ServersSchema = z.object({ servers: z.array(z.object({ server: z.string() })) });

type Answered = Pick<JsonRpcMessage, "result" | "error">;

class GameClient implements Wire {
  readonly #peer: PeerSocket;
  readonly #wire: Wire;
  readonly #open = new Map<RequestId, (answer: Answered) => void>();
  #transport: Pick<DuplexTransport, "take"> | undefined;
  /** Empty: all types. */
  #filter: readonly string[] = [];
  readonly #followed = new Map<string, string>();
  readonly #since = Date.now();
  /** Events that were read when their server was first followed, and may also be announced. */
  readonly #caughtUp = new BoundedMap<string, true>(MAX_CAUGHT_UP);
  #changing: Promise<void> = Promise.resolve();
  #requests = 0;
  #malformed = 0;

  constructor(peer: PeerSocket) {
    this.#peer = peer;
    this.#wire = wireOf(peer);
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  get unreadBytes(): number {
    return this.#wire.unreadBytes;
  }

  end(): void {
    this.#wire.end();
  }

  onClose(listener: () => void): void {
    this.#wire.onClose(listener);
  }

  async start(transport: Pick<DuplexTransport, "take">): Promise<void> {
    this.#transport = transport;
    await this.#ask("initialize", INITIALIZE);
    transport.take([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
    await this.#ask("resources/subscribe", { uri: SERVERS });
    await this.#followServers(false);
  }

  /** What MCP sends to its client. */
  send(text: string): void {
    const { id, method, params, ...answer } = JSON.parse(text) as JsonRpcMessage;
    if (method === "notifications/resources/updated") {
      if (params?.uri === SERVERS) void this.#followServers();
      else this.#forward(params);
    } else if (method === undefined && id !== undefined) {
      const settle = this.#open.get(id);
      this.#open.delete(id);
      settle?.(answer);
    }
  }

  take(text: string): void {
    const decoded = decodeFrame(text, "mcp");
    if (!decoded.ok) return this.#refuse(decoded.reason, decoded.id);
    this.#malformed = 0;
    const { frame } = decoded;
    if (frame.type === "command" || frame.type === "query") {
      void this.#serve(frame, decoded.authToken !== undefined);
    }
  }

  async #serve(frame: CommandFrame | QueryFrame, isLogin: boolean): Promise<void> {
    const { id, payload } = frame;
    const name = "command" in payload ? payload.command : payload.query;
    if (name === "subscribe_events") return this.#subscribe(id, payload.args);
    if (isToolName(name)) return this.#call(id, name, payload.args);
    if (isLogin || name === "hello") return this.#answer(id, { version: DIALECT_VERSION });
    const message = `There is no command or query ${JSON.stringify(name)}.`;
    this.#fail(id, { code: ServerErrorCode.invalidCommand, message });
  }

  async #call(id: string, name: string, args: object): Promise<void> {
    const { result, error } = await this.#ask("tools/call", { name, arguments: args });
    const { structuredContent, isError, content, _meta } = (result ?? {}) as CallResult;
    if (structuredContent !== undefined) return this.#answer(id, bare(name, structuredContent));
    if (error == null && isError !== true) return this.#answer(id, { success: true });
    const message = error?.message ?? content?.[0]?.text ?? "The call failed.";
    this.#fail(id, _meta?.[ERROR_META] ?? { code: ServerErrorCode.serverError, message });
  }

  async #subscribe(id: string, args: unknown): Promise<void> {
    const wanted = SubscriptionSchema.safeParse(args);
    if (!wanted.success) {
      const message = "eventTypes: must be a list of at most 16 names, such as player_chat";
      return this.#fail(id, { code: ServerErrorCode.invalidArgs, message });
    }
    this.#filter = wanted.data.eventTypes;
    await this.#followServers();
    this.#answer(id, { eventTypes: this.#filter });
  }

  /** One after the other, so that the last filter wins. */
  #followServers(isLate = true): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      const { result } = await this.#ask("resources/read", { uri: SERVERS });
      const text = (result as { contents?: { text?: string }[] } | undefined)?.contents?.[0]?.text;
      const listed = ServersSchema.safeParse(text === undefined ? undefined : JSON.parse(text));
      for (const { server } of listed.data?.servers ?? []) await this.#follow(server, isLate);
    });
    return this.#changing;
  }

  async #follow(server: string, isLate: boolean): Promise<void> {
    const types = this.#filter.length === 0 ? "" : `/${this.#filter.join(",")}`;
    const uri = `${SERVERS}/${server}/events${types}`;
    const before = this.#followed.get(server);
    if (before === uri) return;
    if (before !== undefined) await this.#ask("resources/unsubscribe", { uri: before });
    this.#followed.set(server, uri);
    const { error } = await this.#ask("resources/subscribe", { uri });
    if (error != null) this.#followed.delete(server);
    else if (before === undefined && isLate) await this.#catchUp(server);
  }

  /** A server that links later may send events before this client learns of it. */
  async #catchUp(server: string): Promise<void> {
    const since = new Date(this.#since).toISOString();
    const args = { server, types: this.#filter, since, limit: 100 };
    for (let cursor: number | undefined; ; ) {
      const call = { name: "get-server-events", arguments: { ...args, cursor } };
      const { result } = await this.#ask("tools/call", call);
      const { data } = NewsSchema.safeParse((result as CallResult | undefined)?.structuredContent);
      if (data === undefined || data.events.length === 0) return;
      for (const event of data.events) {
        this.#caughtUp.set(idOf(event), true);
        this.#send(event);
      }
      cursor = data.cursor;
    }
  }

  #forward(params: JsonRpcMessage["params"]): void {
    const { [EVENTS_META]: news } = (params?._meta ?? {}) as Record<string, unknown>;
    const { data } = NewsSchema.safeParse(news);
    // What is read when a server is first followed comes before what is announced.
    void this.#changing.then(() => {
      for (const event of data?.events ?? []) {
        const isWanted = this.#filter.length === 0 || this.#filter.includes(event.event);
        if (!this.#caughtUp.delete(idOf(event)) && isWanted) this.#send(event);
      }
    });
  }

  #send({ server, event, time, data }: ServerEvent): void {
    const sender = { source: "minecraft", id: randomUUID() } as const;
    const happened = { eventType: event, timestamp: Date.parse(time), data, server };
    this.#peer.send(encodeEvent(sender, happened as never));
  }

  #ask(method: string, params: Record<string, unknown>): Promise<Answered> {
    this.#requests += 1;
    const id = this.#requests;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.#transport?.take([{ jsonrpc: "2.0", id, method, params }]);
    });
  }

  #answer(id: string, data: unknown): void {
    this.#peer.send(encodeResponse({ source: "minecraft", id }, data));
  }

  #fail(id: string, error: WireError): void {
    this.#peer.send(encodeFailure({ source: "minecraft", id }, error));
  }

  #refuse(reason: string, id: string | undefined): void {
    const error = {
      code: ServerErrorCode.schemaError,
      message: `The message is not valid: ${reason}`,
    };
    this.#peer.send(encodeError({ source: "minecraft", id: id ?? randomUUID() }, error));
    this.#malformed += 1;
    if (this.#malformed >= MAX_MALFORMED) {
      this.#peer.close(POLICY_CLOSE, "too many malformed messages");
    }
  }
}

function idOf({ server, seq, time }: ServerEvent): string {
  return `${server} ${seq} ${time}`;
}

interface CallResult {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly _meta?: Readonly<Record<string, WireError>>;
}

const fields: Readonly<Record<string, string>> = {
  get_online_players: "players",
  get_player_info: "player",
  get_server_info: "info",
  get_world_info: "world",
};

/** A result as the protocol has it, without what MCP clients get around it. */
function bare(tool: string, facts: Readonly<Record<string, unknown>>): unknown {
  const field = fields[tool];
  if (field !== undefined) return facts[field];
  const { server: _, ...rest } = facts;
  return tool === "find_blocks" ? rest : { success: true, ...rest };
}
