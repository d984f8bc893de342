import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import { flagOf } from "../config/settings.js";

/** The bridge cannot start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: string | undefined;

  constructor(message: string, options: ErrorOptions & { code?: string | undefined }) {
    super(message, options);
    this.code = options.code;
  }
}

/** Starts a listener and returns its port. Whoever holds a taken port is left alone. */
export async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  setting: string,
): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw await explainListenError(error as NodeJS.ErrnoException, host, port, setting);
  }
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

async function explainListenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: string,
): Promise<StartError> {
  const options = { cause: error, code: error.code };
  const flag = `--${flagOf(setting)}`;
  switch (error.code) {
    case "EADDRINUSE": {
      const free = await freePort(host, port + 1);
      return new StartError(
        `Port ${port} on ${host} (${setting}, ${flag}) is in use by another program. ` +
          `Stop that program, or use a free port: ${flag} ${free}`,
        options,
      );
    }
    case "EACCES":
      return new StartError(
        `Port ${port} (${setting}, ${flag}) may not be used by this user. Use one above 1023: ${flag} ${await freePort(host, 3_000)}`,
        options,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new StartError(
        `${host} is no address of this machine. Set ${setting.replace("PORT", "HOST")} to one that is, or to 0.0.0.0 for all.`,
        options,
      );
    default:
      return new StartError(
        `Cannot listen on ${host}:${port} (${setting}): ${error.message}`,
        options,
      );
  }
}

/** A free port, near the wanted one if possible. */
async function freePort(host: string, from: number): Promise<number> {
  for (let port = from; port < from + 20 && port <= 65_535; port++) {
    if ((await tryPort(host, port)) !== undefined) return port;
  }
  return (await tryPort(host, 0)) ?? from;
}

function tryPort(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ host, port }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(taken));
    });
  });
}
