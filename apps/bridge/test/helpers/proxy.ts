import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

export const fromRemote = (address = "203.0.113.5") => ({
  headers: { "x-forwarded-for": address },
});

export async function startProxy(target: number, address = "203.0.113.5"): Promise<number> {
  const server = createServer();
  server.on("upgrade", ({ method, url, rawHeaders }, near, head) => {
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
    const headers = [`X-Forwarded-For: ${address}`];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headers.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    }
    far.write(`${method} ${url} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    far.write(head);
    far.pipe(near).pipe(far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
