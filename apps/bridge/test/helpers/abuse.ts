import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { onTestFinished } from "vitest";
import { Clients } from "../../src/auth/clients.js";
import { type Config, defaultConfig } from "../../src/index.js";
import type { McpServices } from "../../src/mcp/handlers/session.js";
import { createMcpListener } from "../../src/mcp/listener.js";
import type { PeerLog } from "../../src/monitor/peer-log.js";

interface Message {
  id?: string | number;
  method?: string;
}

export interface ScriptedTransport {
  onmessage?: ((message: never) => void) | undefined;
  send(message: unknown, call?: string | number): boolean;
}

export async function startListener(
  onMessage: (message: Message, transport: ScriptedTransport) => void,
  settings: Partial<Config> = {},
) {
  const transports: ScriptedTransport[] = [];
  const quiet = { debug() {}, info() {}, warn() {}, error() {}, flush() {} } as unknown as PeerLog;
  const { app } = await createMcpListener({
    config: { ...defaultConfig(), ...settings },
    clients: new Clients([]),
    peerLog: quiet,
    services: {} as McpServices,
    health: () => ({ open: {}, local: {} }),
    serve: async (given) => {
      const transport = given as unknown as ScriptedTransport;
      transports.push(transport);
      transport.onmessage = (message: Message) => {
        if (message.method !== "initialize") return onMessage(message, transport);
        transport.send({ jsonrpc: "2.0", id: message.id, result: {} });
      };
    },
  });
  onTestFinished(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/mcp`, transports };
}

export async function rawSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Resolves with an error or without: a peer that still writes may see either. */
export function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

export async function unreadStream(port: number, session: string): Promise<Socket> {
  const socket = await rawSocket(port);
  socket.write(
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n` +
      `Mcp-Session-Id: ${session}\r\n\r\n`,
  );
  await once(socket, "data");
  socket.pause();
  return socket;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

export async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
