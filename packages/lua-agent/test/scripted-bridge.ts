import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type AgentFrame,
  ChunkJoiner,
  decodeAgentFrame,
  encodeFrame,
  type Hello,
  MAX_FROM_AGENT_BYTES,
  type Output,
  type Response,
  SAFE_FRAME_BYTES,
  splitFrame,
} from "@ccbridge/protocol";
import { type WebSocket, WebSocketServer } from "ws";

const WAIT_MS = 60_000;

export type Greeting = (link: Link) => void;

export function greet(fields: Record<string, unknown> = {}): Greeting {
  return (link) =>
    link.sendRaw({
      type: "hello-ok",
      protocol: 2,
      bridge: { name: "scripted", version: "1.0.0" },
      maxFrame: SAFE_FRAME_BYTES,
      heartbeatMs: 15_000,
      ...fields,
    });
}

export class Link {
  readonly frames: AgentFrame[] = [];
  readonly sizes: number[] = [];
  readonly malformed: string[] = [];
  readonly texts: string[] = [];
  closed = false;
  readonly #socket: WebSocket;
  readonly #joiner = new ChunkJoiner({ maxBytes: MAX_FROM_AGENT_BYTES });
  readonly #watchers = new Set<() => void>();
  #next = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => {
      this.sizes.push((data as Buffer).length);
      this.texts.push(data.toString());
      if (isBinary) this.malformed.push("binary");
      else this.#receive(data.toString());
      this.#changed();
    });
    socket.on("close", () => {
      this.closed = true;
      this.#changed();
    });
    socket.on("error", () => {});
  }

  get hello(): Hello {
    return this.of("hello")[0] as Hello;
  }

  of<T extends AgentFrame["type"]>(type: T): Extract<AgentFrame, { type: T }>[] {
    return this.frames.filter((frame) => frame.type === type) as never;
  }

  responses(id: string): Response[] {
    return this.of("response").filter((frame) => frame.id === id);
  }

  outputs(id: string): Output[] {
    return this.of("output").filter((frame) => frame.id === id);
  }

  until(what: string, condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(watch);
        const seen = this.frames.map((frame) => JSON.stringify(frame).slice(0, 300));
        reject(new Error(`never came: ${what}; frames: ${seen.join("\n") || "none"}`));
      }, WAIT_MS);
      const watch = () => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
    });
  }

  sendRaw(frame: Record<string, unknown> | string): void {
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  send(method: string, params?: unknown, id = `req-${++this.#next}-${Math.random()}`): string {
    const text = encodeFrame({ type: "request", id, method, params });
    for (const message of splitFrame(text, SAFE_FRAME_BYTES, id)) this.#socket.send(message);
    return id;
  }

  cancel(id: string): void {
    this.sendRaw({ type: "cancel", id });
  }

  async response(id: string): Promise<Response> {
    await this.until(`response to ${id}`, () => this.responses(id).length > 0);
    return this.responses(id)[0] as Response;
  }

  request(method: string, params?: unknown): Promise<Response> {
    return this.response(this.send(method, params));
  }

  exec(code: string): Promise<Response> {
    return this.request("exec-lua", { code });
  }

  close(code: number, reason = ""): void {
    this.#socket.close(code, reason);
  }

  drop(): void {
    this.#socket.terminate();
  }

  #receive(text: string): void {
    const decoded = decodeAgentFrame(text);
    if (!decoded.ok) {
      this.malformed.push(`${decoded.reason}: ${text.slice(0, 200)}`);
      return;
    }
    if (decoded.frame.type !== "chunk") {
      this.frames.push(decoded.frame);
      return;
    }
    const joined = this.#joiner.push(decoded.frame);
    if (!joined.ok) this.malformed.push(joined.reason);
    else if (joined.text !== undefined) this.#receive(joined.text);
  }

  #changed(): void {
    for (const watch of [...this.#watchers]) watch();
  }
}

export class ScriptedBridge {
  greeting: Greeting = greet();
  readonly links: Link[] = [];
  readonly urls: string[] = [];
  readonly files = new Map<string, string>();
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  #port = 0;
  #waiting: (() => void)[] = [];
  refuseUpgrade: string | undefined;

  constructor() {
    this.#http = createServer((request, response) => {
      const body = this.files.get((request.url ?? "").split("?")[0] ?? "");
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/plain" });
      response.end(body ?? "not found");
    });
    this.#http.on("upgrade", (request, socket, head) => {
      if (this.refuseUpgrade !== undefined) {
        socket.end(`HTTP/1.1 ${this.refuseUpgrade}\r\nConnection: close\r\n\r\n`);
        return;
      }
      this.urls.push(request.url ?? "");
      this.#sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client));
    });
  }

  async listen(port = 0): Promise<this> {
    this.#http.listen(port, "127.0.0.1");
    await once(this.#http, "listening");
    this.#port = (this.#http.address() as AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async link(number: number): Promise<Link> {
    while (this.links.length < number) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const link = this.links[number - 1] as Link;
    await link.until("hello", () => link.of("hello").length > 0);
    return link;
  }

  async close(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#http.closeAllConnections();
    if (this.#http.listening) {
      this.#http.close();
      await once(this.#http, "close");
    }
  }

  #accept(client: WebSocket): void {
    const link = new Link(client);
    this.links.push(link);
    void link
      .until("hello", () => link.closed || link.of("hello").length > 0)
      .then(() => {
        if (!link.closed) this.greeting(link);
      });
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
