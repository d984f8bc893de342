import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

/** An agent as the protocol's own MCP bridge is one: it joins a session, lists bare tools, calls for bare results. */
export class Agent {
  readonly notices: string[] = [];
  readonly #socket: WebSocket;
  readonly #pending = new Map<
    string,
    { resolve(value: unknown): void; reject(error: unknown): void }
  >();

  constructor(url: string, options: WebSocket.ClientOptions = {}) {
    this.#socket = new WebSocket(url, options);
    this.#socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.method !== undefined) this.notices.push(message.method);
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error) pending?.reject(message.error);
      else pending?.resolve(message.result);
    });
    onTestFinished(() => this.#socket.terminate());
  }

  static async open(url: string, sessionId?: string, options?: WebSocket.ClientOptions) {
    const agent = new Agent(url, options);
    await once(agent.#socket, "open");
    const joined = await agent.send("session/join", { sessionId });
    return { agent, joined };
  }

  async refusal(): Promise<string> {
    const [error] = await once(this.#socket, "error");
    return (error as Error).message;
  }

  send(method: string, params: object = {}, id: string = crypto.randomUUID()): Promise<unknown> {
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  close(): void {
    this.#socket.close();
  }

  note(method: string, params: object): void {
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  call(name: string, args: object = {}, id?: string): Promise<unknown> {
    return this.send("tools/call", { name, arguments: args }, id);
  }

  async names(): Promise<string[]> {
    return ((await this.send("tools/list")) as { name: string }[]).map(({ name }) => name);
  }
}
