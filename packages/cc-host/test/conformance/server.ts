import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { type WebSocket, WebSocketServer } from "ws";

const sockets: Record<string, (socket: WebSocket, data: Buffer, binary: boolean) => void> = {
  "/echo": (socket, data, binary) => socket.send(data, { binary }),
  "/length": (socket, data) => socket.send(String(data.length)),
  "/codes": (socket, data) =>
    socket.send(Array.from(data.toString(), (char) => char.codePointAt(0)?.toString(16)).join(" ")),
  "/greek": (socket) => socket.send("é€"),
  "/close": (socket, data) => socket.close(4_001, String(data)),
  "/drop": (socket) => socket.terminate(),
  "/normal": (socket) => socket.close(1_000),
  "/big": (socket, data) => socket.send("x".repeat(Number(String(data)))),
  "/burst": (socket, data) => {
    for (let index = 1; index <= Number(String(data)); index++) socket.send(String(index));
  },
  "/fragments": (socket) => {
    socket.send("first", { fin: false });
    socket.send("second", { fin: false });
    socket.send("third", { fin: true });
    socket.send("whole");
  },
};

function answer(path: string): { status?: number; headers?: Record<string, string>; body: Buffer } {
  const text = (body: string) => ({ body: Buffer.from(body) });
  switch (path) {
    case "/text":
      return { ...text("line one\r\nline two"), headers: { "X-One": "1" } };
    case "/bytes":
      return { body: Buffer.from([0, 255, 10]) };
    case "/gzip":
      return { body: gzipSync("packed"), headers: { "Content-Encoding": "gzip" } };
    case "/redirect":
      return { ...text(""), status: 302, headers: { Location: "/text" } };
    case "/loop":
      return { ...text(""), status: 302, headers: { Location: "/loop" } };
    case "/program.lua":
      return text('_G.RAN = table.concat({ ... }, " ") error("oops")');
    default:
      return { ...text("nothing"), status: 404 };
  }
}

export async function startServer(): Promise<{ address: string; close(): void }> {
  const web = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/post") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => response.end(`${request.method} ${Buffer.concat(chunks)}`));
      return;
    }
    const { status = 200, headers = {}, body } = answer(path);
    response.writeHead(status, headers).end(body);
  });
  const server = new WebSocketServer({ noServer: true });
  web.on("upgrade", (request, socket, head) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const behaviour = sockets[pathname];
    if (behaviour === undefined) {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    server.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on("error", () => {});
      accepted.on("message", (data, binary) => behaviour(accepted, data as Buffer, binary));
    });
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const open = new Set<Socket>();
  const silent = createTcpServer((socket) => {
    open.add(socket.on("error", () => {}));
  });
  const { port } = web.address() as AddressInfo;
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const silentPort = (silent.address() as AddressInfo).port;
  return {
    address: `127.0.0.1:${port}|127.0.0.1:${silentPort}`,
    close() {
      for (const client of server.clients) client.terminate();
      web.closeAllConnections();
      web.close();
      for (const socket of open) socket.destroy();
      silent.close();
    },
  };
}
