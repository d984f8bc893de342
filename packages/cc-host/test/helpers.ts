import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { createWorld, type PlacedComputer, type World, type WorldOptions } from "../src/index.js";

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

export async function newWorld(options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(options);
  cleanups.push(() => world.close());
  return world;
}

const REPORT =
  'local function report(...) local t = {} for i = 1, select("#", ...) do t[i] = tostring((select(i, ...))) end ' +
  'local f = fs.open("/out", "a") f.write(table.concat(t, "|") .. "\\n") f.close() end ';

export function install(computer: PlacedComputer, program: string, path = "/t.lua"): void {
  computer.fs.write(path, REPORT + program);
}

export function reported(computer: PlacedComputer): string[] {
  return computer.fs.exists("/out") ? computer.fs.read("/out").split("\n").slice(0, -1) : [];
}

export async function run(computer: PlacedComputer, program: string): Promise<string[]> {
  if (!computer.isOn) {
    computer.turnOn();
    await computer.idle();
  }
  install(computer, program);
  if (computer.fs.exists("/out")) computer.fs.delete("/out");
  computer.type("t\n");
  await computer.idle();
  return reported(computer);
}

export async function socketServer(
  onConnection: (socket: WebSocket) => void = () => {},
): Promise<{ url: string; server: WebSocketServer }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  server.on("connection", onConnection);
  cleanups.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

export async function webServer(onRequest: RequestListener): Promise<string> {
  const server = createHttpServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function rawServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
