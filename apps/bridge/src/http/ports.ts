import { createServer } from "node:net";
import { askHealth, type Health } from "./health-client.js";

export type PortHolder =
  | { kind: "free" }
  | { kind: "bridge"; health: Health }
  | { kind: "stranger" }
  | { kind: "unusable"; reason: string };

/** Finds out which program uses a port, without disturbing it. */
export async function portHolder(host: string, port: number): Promise<PortHolder> {
  const health = await askHealth(host, port);
  if (health !== undefined) return { kind: "bridge", health };
  const tried = await tryPort(host, port);
  if (typeof tried === "number") return { kind: "free" };
  return tried.code === "EADDRINUSE"
    ? { kind: "stranger" }
    : { kind: "unusable", reason: tried.message };
}

export async function freePort(
  host: string,
  from: number,
  avoid: readonly number[],
): Promise<number> {
  for (let port = from; port < from + 20 && port <= 65_535; port++) {
    if (avoid.includes(port)) continue;
    if (typeof (await tryPort(host, port)) === "number") return port;
  }
  const any = await tryPort(host, 0);
  return typeof any === "number" ? any : from;
}

function tryPort(host: string, port: number): Promise<number | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ host, port }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}
