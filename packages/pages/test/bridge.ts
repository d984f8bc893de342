import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type ConnectOptions, connect, type Page } from "../src/index.js";

export interface Message {
  jsonrpc: string;
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

export class PageSocket {
  readonly socket: WebSocket;
  readonly target: string;
  readonly received: Message[] = [];

  constructor(socket: WebSocket, target: string) {
    this.socket = socket;
    this.target = target;
    socket.on("message", (data) => this.received.push(JSON.parse(String(data))));
  }

  send(message: object): void {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  async until(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      await once(this.socket, "message");
    }
  }

  registration(names: string[]): Promise<Message> {
    return this.until(({ method, params }) => {
      const tools = (params?.tools ?? []) as { name: string }[];
      return method === "tools/register" && tools.map(({ name }) => name).join() === names.join();
    });
  }

  answer(id: string): Promise<Message> {
    return this.until((message) => message.id === id && message.method === undefined);
  }

  call(id: string, name: string, args: object = {}): Promise<Message> {
    this.send({ id, method: "tools/call", params: { name, arguments: args } });
    return this.answer(id);
  }
}

export async function listen() {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  const sockets: PageSocket[] = [];
  server.on("connection", (socket, { url = "" }) => sockets.push(new PageSocket(socket, url)));
  await once(server, "listening");
  onTestFinished(() => {
    for (const { socket } of sockets) socket.terminate();
    server.close();
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    async page(number = 0): Promise<PageSocket> {
      for (;;) {
        const socket = sockets[number];
        if (socket !== undefined) return socket;
        await once(server, "connection");
      }
    },
  };
}

class BrowserSocket extends WebSocket {
  constructor(url: string) {
    super(url);
    this.on("error", () => {});
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

export function open(options: ConnectOptions): Page {
  vi.stubGlobal("WebSocket", BrowserSocket);
  const page = connect(options);
  onTestFinished(() => {
    page.close();
    vi.unstubAllGlobals();
  });
  return page;
}
