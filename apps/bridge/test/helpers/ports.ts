import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

const WORKERS = 16;
const given = new Set<number>();

/**
 * A port without a listener, a different one each time. It is below the ephemeral ports, so that it
 * stays free until a program of the test binds it, even repeatedly: port 0 only suits programs that
 * start once.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port =
      20_000 +
      Math.floor(Math.random() * 750) * WORKERS +
      (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS);
    if (given.has(port) || !(await isFree(port, "0.0.0.0"))) continue;
    given.add(port);
    return port;
  }
}

export async function isFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

export async function foreignServer(
  host = "127.0.0.1",
  port = 0,
  handler: RequestListener = (_, response) => void response.end("somebody else"),
): Promise<{ server: Server; port: number }> {
  const server = createHttpServer(handler);
  server.listen(port, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}
