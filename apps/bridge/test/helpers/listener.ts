import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { refuseInText } from "../../src/http/errors.js";
import { createListener, type ListenerOptions } from "../../src/http/listener.js";
import type { PeerSocket, SocketLimits } from "../../src/http/peer-socket.js";
import { silentLogger } from "../../src/index.js";
import { PeerLog } from "../../src/monitor/peer-log.js";

export async function startSocketListener(
  options: Partial<ListenerOptions> = {},
  limits: Partial<SocketLimits> = {},
) {
  const listener = await createListener({
    connections: { perAddress: 10_000, total: 10_000, setting: "TEST", trustedProxies: [] },
    requestTimeoutMs: 10_000,
    bodyLimit: 1_024,
    maxMessageBytes: 1_000_000,
    maxUnreadBytes: 1_000_000,
    guard: (_request, _reply, done) => done(),
    refuse: refuseInText,
    notFound: "nothing here",
    log: new PeerLog(silentLogger()),
    ...options,
  });
  const accepted: PeerSocket[] = [];
  let onAccepted: (() => void) | undefined;
  listener.app.route({
    method: "GET",
    url: "/",
    handler: async (_, reply) => reply.send(),
    wsHandler: (socket, request) => {
      accepted.push(listener.accept(socket, request, { maxUnreadBytes: 1_000_000, ...limits }));
      onAccepted?.();
    },
  });
  onTestFinished(() => listener.app.close());
  await listener.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = listener.app.server.address() as AddressInfo;
  const connectRaw = async (): Promise<{ peer: Socket; socket: PeerSocket }> => {
    const arrived = new Promise<void>((resolve) => {
      onAccepted = resolve;
    });
    const peer = await rawWebSocket(port);
    await arrived;
    return { peer, socket: accepted.at(-1) as PeerSocket };
  };
  return { ...listener, port, accepted, connectRaw };
}

export async function rawWebSocket(port: number, path = "/"): Promise<Socket> {
  const peer = connect(port, "127.0.0.1");
  onTestFinished(() => void peer.destroy());
  peer.on("error", () => {});
  peer.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
  );
  await once(peer, "data");
  return peer;
}

export function textFrame(payload: string | Buffer, declared = payload.length): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0x80 | 127]);
  head.writeUInt32BE(declared, 6);
  return Buffer.concat([head, Buffer.from(payload)]);
}
