import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import { type ListenerPlan, planListeners, type Side } from "../config/listeners.js";
import { type Config, flagOf } from "../config/settings.js";
import { askHealth, describeHealth, type Health } from "./health-client.js";

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

/** The bridge cannot start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code: string | undefined;

  constructor(message: string, options: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    this.code = options.code;
  }
}

export interface Listener {
  app: FastifyInstance;
  host: string;
  port: number;
  setting: string;
}

interface Failure extends Listener {
  error: NodeJS.ErrnoException;
  holder: Health | undefined;
  alternative: number;
}

/**
 * Starts all listeners and returns their ports in the same order. Throws one {@link StartError} for
 * all that cannot start. A program that already uses a port is not disturbed.
 */
export async function listenAll(listeners: readonly Listener[]): Promise<number[]> {
  const results = await Promise.allSettled(
    listeners.map(({ app, host, port }) => app.listen({ host, port })),
  );
  const failures: Failure[] = [];
  const avoid = listeners.map(({ port }) => port);
  for (const [index, result] of results.entries()) {
    const listener = listeners[index];
    if (result.status !== "rejected" || listener === undefined) continue;
    const error = result.reason as NodeJS.ErrnoException;
    const taken = error.code === "EADDRINUSE";
    const holder = taken ? await askHealth(listener.host, listener.port) : undefined;
    const alternative = await freePort(listener.host, Math.max(listener.port, 1_023) + 1, avoid);
    avoid.push(alternative);
    failures.push({ ...listener, error, holder, alternative });
  }
  if (failures.length > 0) throw explain(failures);
  return listeners.map(({ app, port }) => {
    const address = app.server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  });
}

function explain(failures: readonly Failure[]): StartError {
  const codes = new Set(failures.map(({ error }) => error.code));
  const held = failures.filter(({ holder }) => holder !== undefined);
  const rest = failures.filter(({ holder }) => holder === undefined);
  const parts = rest.map(explainOne);
  if (held.length > 0) parts.unshift(explainHeld(held));
  return new StartError(parts.join("\n"), {
    cause: failures[0]?.error,
    code: codes.size === 1 ? failures[0]?.error.code : undefined,
  });
}

/** Another bridge uses these ports: most likely it is the one that the user wants. */
function explainHeld(held: readonly Failure[]): string {
  const [first] = held;
  const ports = held.map(({ port, setting }) => `${port} (${setting})`).join(" and ");
  const facts = held.flatMap(({ holder }) =>
    holder?.side === "mcp" ? [describeHealth(holder)] : [],
  );
  const flags = held.map(({ setting, alternative }) => `--${flagOf(setting)} ${alternative}`);
  const who = facts.length > 0 ? `Another ccbridge${facts.join("")}` : "Another ccbridge";
  return (
    `${who} is already running on this machine and has port${held.length > 1 ? "s" : ""} ${ports} on ${first?.host}. ` +
    `Use that one, stop it with Ctrl+C in its window, or run a second one beside it: ${flags.join(" ")}`
  );
}

function explainOne({ host, port, setting, error, alternative }: Failure): string {
  const flag = `--${flagOf(setting)}`;
  switch (error.code) {
    case "EADDRINUSE":
      return (
        `Port ${port} on ${host} (${setting}, ${flag}) is in use by another program. ` +
        `Stop that program, or use a free port: ${flag} ${alternative}`
      );
    case "EACCES":
      return port < 1_024
        ? `Port ${port} (${setting}, ${flag}) cannot be used by this user. Use one above 1023: ${flag} ${alternative}`
        : // Hyper-V and Docker reserve port ranges on Windows.
          `Port ${port} (${setting}, ${flag}) is reserved by the system; on Windows \`netsh int ipv4 show excludedportrange tcp\` lists such ports. Use another: ${flag} ${alternative}`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is not an address of this machine. Set ${setting.replace("PORT", "HOST")} to one that is, or to 0.0.0.0 for all.`;
    default:
      return `Cannot listen on ${host}:${port} (${setting}): ${error.message}`;
  }
}

export interface Ports {
  mcpPort: number;
  linkPort: number;
  /** Undefined when no page may connect. */
  pagesPort: number | undefined;
  minecraftPort: number | undefined;
}

export async function openPorts(
  config: Config,
  apps: Record<Side, FastifyInstance | undefined>,
  added: { listen(): Promise<void> },
): Promise<Ports> {
  const listeners = planListeners(config)
    .map((plan) => ({ ...plan, app: apps[plan.side] }))
    .filter((listener): listener is ListenerPlan & Listener => listener.app !== undefined);
  const listening = await listenAll(listeners);
  await added.listen();
  const ports = Object.fromEntries(listeners.map(({ name }, index) => [name, listening[index]]));
  const { mcpPort = config.mcpPort, linkPort = config.linkPort, pagesPort, minecraftPort } = ports;
  return { mcpPort, linkPort, pagesPort, minecraftPort };
}
