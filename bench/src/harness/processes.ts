import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const children = new Set<ChildProcess>();
process.on("exit", stopAll);

const bridgeProgram = fileURLToPath(new URL("main.js", import.meta.resolve("@ccbridge/bridge")));

export function program(name: string): string {
  return fileURLToPath(new URL(`${name}.js`, import.meta.url));
}

export interface Server {
  port: number;
  child: ChildProcess;
}

export async function startServer(
  file: string,
  env: Record<string, string> = {},
  execArgv: string[] = [],
): Promise<Server & { startedInMs: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...execArgv, file], {
    env: { ...process.env, ...env, MCP_PORT: String(port) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  keep(child);
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`);
    await sleep(1);
  }
  return { port, child, startedInMs: performance.now() - startedAt };
}

export async function startBridge(env: Record<string, string> = {}) {
  const linkPort = await freePort();
  const server = await startServer(bridgeProgram, {
    CC_LINK_HOST: "127.0.0.1",
    CC_LINK_PORT: String(linkPort),
    // The floors keep nothing either.
    CC_HISTORY: "memory",
    ...env,
  });
  return { ...server, linkUrl: `ws://127.0.0.1:${linkPort}` };
}

export async function startProgram(
  name: string,
  args: string[] = [],
  options: { env?: Record<string, string>; execArgv?: string[] } = {},
): Promise<{ child: ChildProcess; reported: Record<string, number> }> {
  const child = fork(program(name), args, {
    env: { ...process.env, ...options.env },
    execArgv: options.execArgv ?? [],
  });
  keep(child);
  return { child, reported: await nextMessage(child) };
}

export async function startComputers(url: string, count: number, first = 0): Promise<ChildProcess> {
  const { child } = await startProgram("computers", [url, String(count), String(first)]);
  return child;
}

export async function heapOf(child: ChildProcess): Promise<number> {
  const { heap } = await ask(child, "heap");
  return heap as number;
}

export function ask(
  child: ChildProcess,
  question: string | object,
): Promise<Record<string, number>> {
  const answer = nextMessage(child);
  child.send(question);
  return answer;
}

async function nextMessage(child: ChildProcess): Promise<Record<string, number>> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(child, "message", { signal: ended.signal }).then(([message]) => message),
      once(child, "exit", { signal: ended.signal }).then(([code]) => {
        throw new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${code}`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}

export async function stop(...stopping: ChildProcess[]): Promise<void> {
  const ends = stopping.map((child) =>
    child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined,
  );
  for (const child of stopping) child.kill("SIGTERM");
  await Promise.all(ends);
}

function stopAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

function keep(child: ChildProcess): void {
  children.add(child);
  child.once("exit", () => children.delete(child));
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
}

/** A free port may be reassigned before its program listens. */
const given = new Set<number>();

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path: "/health", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
}
