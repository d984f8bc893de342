import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/**
 * A proxy that says from where its client comes, so that the bridge treats it as a computer of another machine, which
 * waits for approval.
 */
export async function openRelay(linkUrl: string): Promise<string> {
  const { hostname, port } = new URL(linkUrl);
  const server = createServer((socket) => {
    const bridge = connect(Number(port), hostname);
    socket.once("data", (first) => {
      const [line = "", ...rest] = first.toString("latin1").split("\r\n");
      const request = [line, "X-Forwarded-For: 203.0.113.7", ...rest].join("\r\n");
      bridge.write(Buffer.from(request, "latin1"));
      socket.pipe(bridge);
    });
    bridge.pipe(socket);
    for (const end of [socket, bridge]) {
      end.on("error", () => {
        socket.destroy();
        bridge.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
