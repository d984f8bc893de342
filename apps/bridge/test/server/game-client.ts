import { once } from "node:events";
import {
  type AnswerFrame,
  decodeFrame,
  type EventFrame,
  encodeRequest,
  isQuery,
  isToolName,
  type ServerOutcome,
  type Source,
} from "@ccbridge/protocol/minecraft";
import { onTestFinished } from "vitest";
import WebSocket from "ws";

/** A client that speaks the protocol of Minecraft servers from the other end. */
export class GameClient {
  readonly #socket: WebSocket;
  readonly events: (EventFrame & { server: string; at: number })[] = [];
  readonly answers: AnswerFrame[] = [];
  readonly #waiting = new Set<() => void>();
  closed: number | undefined;
  #count = 0;

  private constructor(url: string, headers: Record<string, string>) {
    this.#socket = new WebSocket(url, { headers });
    onTestFinished(() => this.#socket.terminate());
    this.#socket.on("message", (data) => this.#receive(String(data)));
    this.#socket.on("error", () => {});
    this.#socket.on("close", (code) => {
      this.closed = code;
      this.#check();
    });
  }

  static async connect(url: string, token?: string): Promise<GameClient> {
    const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
    const client = new GameClient(url, headers ?? {});
    const refused = new Promise<never>((_, reject) => {
      client.#socket.on("unexpected-response", (_request, { statusCode }) =>
        reject(new Error(`refused with ${statusCode}`)),
      );
    });
    await Promise.race([once(client.#socket, "open"), refused]);
    return client;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  async call(name: string, args: object = {}, authToken?: string): Promise<ServerOutcome> {
    const id = `call-${++this.#count}`;
    const request =
      isToolName(name) && isQuery(name)
        ? { query: name, args }
        : { command: name, args, authToken };
    this.send(encodeRequest({ source: "mcp", id }, request));
    const found = () => this.answers.find((answer) => answer.id === id);
    await this.until(() => found() !== undefined || this.closed !== undefined);
    return found()?.outcome ?? { ok: false, code: `closed ${this.closed}`, message: "" };
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  close(): void {
    this.#socket.close();
  }

  #receive(text: string): void {
    const { source, payload } = JSON.parse(text) as {
      source: Source;
      payload: { server?: string };
    };
    const decoded = decodeFrame(text, source);
    if (!decoded.ok) throw new Error(`the bridge sent something wrong: ${decoded.reason}`);
    const { frame } = decoded;
    const { server = "" } = payload;
    if (frame.type === "event") this.events.push({ ...frame, server, at: performance.now() });
    else if (frame.type === "response" || frame.type === "error") this.answers.push(frame);
    this.#check();
  }

  #check(): void {
    for (const resolve of [...this.#waiting]) resolve();
    this.#waiting.clear();
  }
}
