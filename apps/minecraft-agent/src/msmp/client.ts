import WebSocket from "ws";
import { z } from "zod";
import { Backoff } from "../backoff.js";
import { messageOf } from "../errors.js";
import type { Log } from "../logging.js";

const MAX_MESSAGE_BYTES = 4 * 1_024 * 1_024;
const MAX_PENDING = 64;
const MAX_EARLY = 1_000;

const PlayerSchema = z.object({ id: z.string().max(64), name: z.string().min(1).max(64) });
const StatusSchema = z.object({
  players: z.array(PlayerSchema).optional().catch(undefined),
  version: z
    .object({ name: z.string().max(64) })
    .optional()
    .catch(undefined),
});

export interface ListedPlayer {
  name: string;
  uuid: string;
}

export interface MsmpClientOptions {
  url: string;
  secret: string;
  log: Log;
  timeoutMs: number;
  retry: { firstMs: number; maxMs: number };
  onConnect(players: ListedPlayer[]): void;
  onDisconnect(): void;
  onJoin(player: ListedPlayer): void;
  onQuit(player: ListedPlayer): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

const MessageSchema = z.object({
  id: z.number().nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string().catch("no reason") }).optional(),
});

/** Minecraft Server Management Protocol, 1.21.9 and later. */
export class MsmpClient {
  readonly #options: MsmpClientOptions;
  readonly #backoff: Backoff;
  readonly #pending = new Map<number, Pending>();
  #socket: WebSocket | undefined;
  #connected = false;
  #early: (() => void)[] = [];
  #stopped = false;
  #lastId = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: MsmpClientOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.retry);
  }

  get connected(): boolean {
    return this.#connected;
  }

  start(): void {
    const { url, secret, timeoutMs, log } = this.#options;
    const socket = new WebSocket(url, {
      headers: { Authorization: `Bearer ${secret}` },
      handshakeTimeout: timeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      // The server's certificate is self-signed; on loopback there is no man in the middle.
      rejectUnauthorized: !isLoopback(url),
    });
    this.#socket = socket;
    socket.on("open", () => void this.#greet(socket));
    socket.on("message", (data) => this.#receive(String(data)));
    let reason = "closed";
    socket.on("error", (error) => {
      reason = error.message;
    });
    socket.on("close", () => {
      if (this.#connected) this.#options.onDisconnect();
      this.#connected = false;
      this.#early = [];
      for (const [id, { reject, timer }] of [...this.#pending]) {
        clearTimeout(timer);
        this.#pending.delete(id);
        reject(new Error("the management link is gone"));
      }
      if (this.#stopped) return;
      const retryMs = this.#backoff.next();
      log.warn("management protocol is not connected", { reason, retryMs });
      this.#retry = setTimeout(() => this.start(), retryMs);
    });
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  async status(): Promise<{ players: ListedPlayer[]; version: string | undefined }> {
    const { players, version } = StatusSchema.parse(await this.request("minecraft:server/status"));
    const listed = players ?? z.array(PlayerSchema).parse(await this.request("minecraft:players"));
    return { players: listed.map(toListed), version: version?.name };
  }

  request(method: string, params: unknown[] = []): Promise<unknown> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN || this.#pending.size >= MAX_PENDING) {
      return Promise.reject(new Error("the management link is not ready"));
    }
    const { timeoutMs } = this.#options;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  async #greet(socket: WebSocket): Promise<void> {
    const { log, onConnect } = this.#options;
    try {
      const { players, version } = await this.status();
      if (socket !== this.#socket || socket.readyState !== WebSocket.OPEN) return;
      this.#connected = true;
      this.#backoff.reset();
      log.info("management protocol connected", { version, players: players.length });
      onConnect(players);
      for (const notify of this.#early.splice(0)) notify();
    } catch (error) {
      log.warn("management protocol does not answer", { reason: messageOf(error) });
      socket.terminate();
    }
  }

  #receive(text: string): void {
    const message = parseMessage(text);
    if (message === undefined) return;
    const { id, method, params } = message;
    if (method !== undefined) this.#notified(method, params);
    else if (id !== undefined && id !== null) this.#answered(id, message);
  }

  #answered(id: number, { result, error }: z.infer<typeof MessageSchema>): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    // Some versions nest the error in the result.
    const nested = z.object({ error: z.object({ message: z.string() }) }).safeParse(result);
    const failure = error ?? (nested.success ? nested.data.error : undefined);
    if (failure === undefined) pending.resolve(result);
    else pending.reject(new Error(failure.message));
  }

  #notified(method: string, params: unknown): void {
    // Snapshots before 1.21.9 use a different prefix.
    const [, topic] = /^(?:minecraft:notification\/|notification:)(.+)$/.exec(method) ?? [];
    if (topic !== "players/joined" && topic !== "players/left") return;
    const first = Array.isArray(params) ? params[0] : params;
    const player = PlayerSchema.safeParse(first);
    if (!player.success) return;
    const { onJoin, onQuit } = this.#options;
    const notify = () => (topic === "players/joined" ? onJoin : onQuit)(toListed(player.data));
    if (this.#connected) notify();
    else if (this.#early.length < MAX_EARLY) this.#early.push(notify);
  }
}

function parseMessage(text: string): z.infer<typeof MessageSchema> | undefined {
  try {
    return MessageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function toListed({ id, name }: z.infer<typeof PlayerSchema>): ListedPlayer {
  return { name, uuid: id };
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}
