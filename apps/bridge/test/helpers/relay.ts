import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Relay {
  port: number;
  swallow(): void;
  /** Cuts every connection; new ones are forwarded again. */
  cut(): void;
}

export async function startRelay(bridgePort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let swallowing = false;
  const server = createServer((near) => {
    const far = connect(bridgePort, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => {
        if (!swallowing) to.write(data);
      });
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("error", () => {});
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    swallowing = false;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      swallowing = true;
    },
    cut,
  };
}
