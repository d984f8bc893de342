import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import type { FakeWorld } from "./world.js";

export class FakeMsmp {
  readonly #server: WebSocketServer;
  readonly calls: { method: string; params: unknown }[] = [];
  readonly secret = "0123456789abcdef0123456789abcdef01234567";
  connects = 0;

  private constructor(world: FakeWorld) {
    this.#server = new WebSocketServer({
      host: "127.0.0.1",
      port: 0,
      verifyClient: ({ req }: { req: IncomingMessage }) =>
        req.headers.authorization === `Bearer ${this.secret}`,
    });
    this.#server.on("connection", (socket) => {
      this.connects += 1;
      socket.on("message", (data) => {
        const { id, method, params } = JSON.parse(String(data));
        this.calls.push({ method, params });
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...this.#answer(world, method) }));
      });
    });
  }

  get properties(): Record<string, string | number> {
    return {
      "management-server-enabled": "true",
      "management-server-host": "127.0.0.1",
      "management-server-port": this.port,
      "management-server-secret": this.secret,
      "management-server-tls-enabled": "false",
    };
  }

  static async start(world: FakeWorld): Promise<FakeMsmp> {
    const msmp = new FakeMsmp(world);
    await once(msmp.#server, "listening");
    return msmp;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  notify(method: string, params: unknown): void {
    for (const socket of this.#server.clients) {
      socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
    }
  }

  dropAll(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async close(): Promise<void> {
    this.dropAll();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(world: FakeWorld, method: string): object {
    const players = world.players.map(({ uuid: id, name }) => ({ id, name }));
    switch (method) {
      case "minecraft:server/status":
        return { result: { started: true, players, version: { name: "1.21.9", protocol: 773 } } };
      case "minecraft:players":
        return { result: players };
      case "minecraft:server/system_message":
        return { result: { sent: true } };
      default:
        return { result: { error: { code: -32601, message: "Method not found" } } };
    }
  }
}
