import { once } from "node:events";
import {
  type AnswerFrame,
  decodeFrame,
  type EventData,
  type EventType,
  encodeEvent,
  encodeRequest,
  encodeResponse,
  type Frame,
} from "@ccbridge/protocol/minecraft";
import { onTestFinished } from "vitest";
import WebSocket from "ws";

export interface FakeModOptions {
  url: string;
  token?: string | undefined;
  login?: "header" | "query" | "message" | "none";
  localAddress?: string | undefined;
  name?: string | undefined;
  hello?: object | undefined;
  answer?(name: string, args: Record<string, unknown>): unknown;
}

export class FakeMod {
  readonly #options: FakeModOptions;
  readonly #socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly texts: string[] = [];
  readonly requests: { name: string; args: Record<string, unknown> }[] = [];
  readonly #waiting = new Set<() => void>();
  closed: { code: number; reason: string } | undefined;
  #count = 0;

  constructor(options: FakeModOptions) {
    this.#options = options;
    const { token, login = "header", name, localAddress } = options;
    const url = new URL(options.url);
    if (name !== undefined) url.searchParams.set("server", name);
    if (login === "query" && token !== undefined) url.searchParams.set("token", token);
    const headers =
      login === "header" && token !== undefined ? { Authorization: `Bearer ${token}` } : {};
    this.#socket = new WebSocket(url, { headers, localAddress });
    this.#socket.on("message", (data) => this.#receive(String(data)));
    this.#socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#check();
    });
    this.#socket.on("error", () => {});
  }

  static async dial(options: FakeModOptions): Promise<FakeMod> {
    const mod = new FakeMod(options);
    onTestFinished(() => mod.drop());
    const refused = new Promise<never>((_, reject) => {
      mod.#socket.on("unexpected-response", (_request, { statusCode }) =>
        reject(new Error(`refused with ${statusCode}`)),
      );
    });
    await Promise.race([once(mod.#socket, "open"), refused]);
    const { token, login, hello } = options;
    const authToken = login === "message" ? token : undefined;
    if (hello !== undefined || authToken !== undefined) {
      const request = { command: "hello", args: hello ?? {}, authToken };
      mod.send(encodeRequest({ source: "minecraft", id: "hello" }, request));
      await mod.until(() => mod.answerTo("hello") !== undefined || mod.closed !== undefined);
    }
    return mod;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  event<T extends EventType>(eventType: T, data: EventData<T>, seq?: number): void {
    const sender = { source: "minecraft", id: `event-${++this.#count}` } as const;
    this.send(encodeEvent(sender, { eventType, timestamp: Date.now(), data, seq }));
  }

  answerTo(id: string): AnswerFrame | undefined {
    return this.frames.find(
      (frame): frame is AnswerFrame =>
        frame.id === id && (frame.type === "response" || frame.type === "error"),
    );
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

  hangUp(code?: number): void {
    this.#socket.close(code);
  }

  drop(): void {
    this.#socket.terminate();
  }

  #receive(text: string): void {
    this.texts.push(text);
    const decoded = decodeFrame(text, "mcp");
    if (!decoded.ok) throw new Error(`the bridge sent something wrong: ${decoded.reason}`);
    const { frame } = decoded;
    this.frames.push(frame);
    if (frame.type === "command" || frame.type === "query") {
      const name = frame.type === "command" ? frame.payload.command : frame.payload.query;
      const { args } = frame.payload;
      this.requests.push({ name, args });
      const payload = this.#options.answer?.(name, args);
      const sender = { source: "minecraft", id: frame.id } as const;
      if (payload === undefined) this.send(encodeResponse(sender));
      else if (payload !== null) {
        const plain = JSON.parse(encodeResponse(sender));
        const { type = "response", ...rest } = payload as { type?: string };
        this.send(JSON.stringify({ ...plain, type, payload: rest }));
      }
    }
    this.#check();
  }

  #check(): void {
    for (const check of [...this.#waiting]) check();
  }
}
