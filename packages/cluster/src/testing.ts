import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why tests with NATS cannot run here; undefined when they can. */
export const noNats: string | undefined =
  spawnSync("nats-server", ["--version"]).error === undefined
    ? undefined
    : "nats-server is not installed (Debian: apt-get install nats-server)";

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** Starts it again, on the same port, with what it has stored. */
  start(): Promise<void>;
  /** Starts it again without what it had stored. */
  wipe(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** A nats-server on a free port, with JetStream in a folder that is removed when it stops for good. */
export async function startNats(
  options: { args?: readonly string[]; jetstream?: boolean } = {},
): Promise<NatsServer & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-nats-"));
  const port = await freePort();
  const jetstream = options.jetstream === false ? [] : ["-js", "-sd", folder];
  const args = ["-a", "127.0.0.1", "-p", String(port), ...jetstream, ...(options.args ?? [])];
  let child: ChildProcess | undefined;
  const start = async () => {
    const started = spawn("nats-server", args, { stdio: ["ignore", "ignore", "pipe"] });
    child = started;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      started.stderr?.on("data", (chunk) => {
        said += chunk;
        if (said.includes("Server is ready")) resolve();
      });
      started.once("error", reject);
      started.once("exit", (code) => reject(new Error(`nats-server ended (${code}): ${said}`)));
    });
  };
  const stop = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    start,
    stop,
    async wipe() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
      await start();
    },
    kill: (signal) => void child?.kill(signal),
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
