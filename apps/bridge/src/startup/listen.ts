import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import { flagOf, settings } from "../config/settings.js";

/** The bridge cannot start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: string | undefined;

  constructor(message: string, options: ErrorOptions & { code?: string | undefined }) {
    super(message, options);
    this.code = options.code;
  }
}

/** The ports of a bridge by default: one is no alternative for the other. */
const ownPorts = [settings.mcpPort.default, settings.linkPort.default];

/**
 * Starts a listener and returns its port. Whoever holds a taken port is left alone; the alternative
 * that the error names is none of `avoid`.
 */
export async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  setting: string,
  avoid: readonly number[] = ownPorts,
): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const free = (from: number) => freePort(host, from, avoid);
    throw await explainListenError(error as NodeJS.ErrnoException, { host, port, setting, free });
  }
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

interface Attempt {
  host: string;
  port: number;
  setting: string;
  /** A free port, not below the given one if possible. */
  free(from: number): Promise<number>;
}

async function explainListenError(
  error: NodeJS.ErrnoException,
  { host, port, setting, free }: Attempt,
): Promise<StartError> {
  const options = { cause: error, code: error.code };
  const flag = `--${flagOf(setting)}`;
  switch (error.code) {
    case "EADDRINUSE":
      return new StartError(
        `Port ${port} on ${host} (${setting}, ${flag}) is in use by another program. ` +
          `Stop that program, or use a free port: ${flag} ${await free(port + 1)}`,
        options,
      );
    case "EACCES":
      return new StartError(
        `Port ${port} (${setting}, ${flag}) may not be used by this user. Use one above 1023: ${flag} ${await free(settings.mcpPort.default)}`,
        options,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
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
async function freePort(host: string, from: number, avoid: readonly number[]): Promise<number> {
  for (let port = from; port < from + 20 && port <= 65_535; port++) {
    if (avoid.includes(port)) continue;
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
