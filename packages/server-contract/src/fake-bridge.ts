import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type AnswerFrame,
  decodeFrame,
  type EventFrame,
  encodeRequest,
  encodeResponse,
  type Frame,
  type ServerOutcome,
} from "@ccbridge/protocol/minecraft";
import { WebSocket, WebSocketServer } from "ws";

export { WebSocket };

export class FakeBridge {
  readonly #server: WebSocketServer;
  readonly texts: string[] = [];
  readonly frames: Frame[] = [];
  readonly events: EventFrame[] = [];
  readonly hellos: Record<string, unknown>[] = [];
  readonly requests: IncomingMessage[] = [];
  readonly #answers = new Map<string, (answer: AnswerFrame) => void>();
  readonly #waiting = new Set<() => void>();
  #socket: WebSocket | undefined;
  #requests = 0;
  acknowledges = true;
  nextEvent: number | undefined;
  /** How long it says that it waits for an answer. */
  timeoutMs: number | undefined;

  private constructor(port: number) {
    this.#server = new WebSocketServer({ host: "127.0.0.1", port, path: "/minecraft" });
    this.#server.on("connection", (socket, request) => this.#connected(socket, request));
  }

  static async start(port = 0): Promise<FakeBridge> {
    const bridge = new FakeBridge(port);
    await once(bridge.#server, "listening");
    return bridge;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/minecraft`;
  }

  get isLinked(): boolean {
    return this.#socket !== undefined;
  }

  async answerTo(id: string): Promise<AnswerFrame> {
    const found = () =>
      this.frames.find(
        (frame): frame is AnswerFrame =>
          frame.id === id && (frame.type === "response" || frame.type === "error"),
      );
    await this.until(() => found() !== undefined);
    return found() as AnswerFrame;
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        const check = () => {
          this.#waiting.delete(check);
          resolve();
        };
        this.#waiting.add(check);
      });
    }
  }

  async call(name: string, args: object = {}): Promise<ServerOutcome> {
    this.#requests += 1;
    const id = `request-${this.#requests}`;
    const answered = new Promise<AnswerFrame>((resolve) => this.#answers.set(id, resolve));
    const request = name.startsWith("get_") ? { query: name, args } : { command: name, args };
    const frame = JSON.parse(encodeRequest({ source: "mcp", id }, request));
    // Half surrogates too, which the bridge itself never writes.
    this.send(JSON.stringify({ ...frame, payload: request }));
    return (await answered).outcome;
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  hangUp(code: number): void {
    this.#socket?.close(code);
  }

  drop(): void {
    this.#socket?.terminate();
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, "close");
  }

  #connected(socket: WebSocket, request: IncomingMessage): void {
    this.#socket = socket;
    this.requests.push(request);
    socket.on("message", (data) => this.#receive(socket, String(data)));
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#check();
    });
  }

  #receive(socket: WebSocket, text: string): void {
    this.texts.push(text);
    const decoded = decodeFrame(text, "minecraft");
    if (!decoded.ok) throw new Error(`the mod sent something wrong: ${decoded.reason}`);
    const { frame } = decoded;
    this.frames.push(frame);
    if (frame.type === "event") {
      this.events.push(frame);
      if (this.acknowledges) socket.send(encodeResponse({ source: "mcp", id: frame.id }));
    } else if (frame.type === "command" && frame.payload.command === "hello") {
      this.hellos.push(frame.payload.args);
      const { acknowledges: acknowledge, nextEvent, timeoutMs } = this;
      const data = { version: "1.0.0", acknowledge, nextEvent, timeoutMs };
      socket.send(encodeResponse({ source: "mcp", id: frame.id }, data));
    } else if (frame.type === "response" || frame.type === "error") {
      this.#answers.get(frame.id)?.(frame);
      this.#answers.delete(frame.id);
    }
    this.#check();
  }

  #check(): void {
    for (const check of [...this.#waiting]) check();
  }
}
