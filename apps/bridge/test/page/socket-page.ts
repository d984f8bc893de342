import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

export interface Message {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number | string; message: string; data?: unknown };
}

export type Handler = (args: Record<string, unknown>) => unknown;

export abstract class TestPage {
  readonly received: Message[] = [];
  readonly handlers = new Map<string, Handler>();
  readonly #waiting = new Set<() => void>();
  #ids = 0;

  protected abstract post(message: Message): void;

  register(...tools: (string | { name: string; [field: string]: unknown })[]): Promise<Message> {
    const list = tools.map((tool) => (typeof tool === "string" ? { name: tool } : tool));
    return this.ask("tools/register", { tools: list });
  }

  ask(method: string, params?: Record<string, unknown>): Promise<Message> {
    const id = `btcp-${Date.now()}-${++this.#ids}`;
    this.send({ id, method, ...(params === undefined ? {} : { params }) });
    return this.until((message) => message.id === id);
  }

  send(message: Message): void {
    this.post({ jsonrpc: "2.0", ...message });
  }

  async until(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  protected receive(message: Message): void {
    this.received.push(message);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
    const { id, method, params = {} } = message;
    if (id === undefined || method === undefined) return;
    if (method === "ping") this.send({ id, result: { pong: true } });
    if (method === "tools/call") void this.#call(id, params);
  }

  async #call(id: Message["id"], params: Record<string, unknown>): Promise<void> {
    const handler = this.handlers.get(String(params.name));
    if (handler === undefined) return;
    try {
      const result = await handler(params.arguments as Record<string, unknown>);
      this.send({ id: id ?? null, result });
    } catch (error) {
      this.send({ id: id ?? null, error: error as NonNullable<Message["error"]> });
    }
  }
}

export class SocketPage extends TestPage {
  readonly socket: WebSocket;

  constructor(url: string, origin: string | undefined = "http://localhost:5173") {
    super();
    this.socket = new WebSocket(url, origin === undefined ? {} : { origin });
    this.socket.on("error", () => {});
    this.socket.on("message", (data) => this.receive(JSON.parse(String(data))));
    onTestFinished(() => this.socket.terminate());
  }

  static async open(url: string, origin?: string): Promise<SocketPage> {
    const page = new SocketPage(url, origin);
    await once(page.socket, "open");
    return page;
  }

  protected post(message: Message): void {
    this.socket.send(JSON.stringify(message));
  }

  async closed(): Promise<{ code: number; reason: string }> {
    const [code, reason] = await once(this.socket, "close");
    return { code, reason: String(reason) };
  }
}
