import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export function builtProgram(): string {
  if (existsSync(program)) return program;
  throw new Error("apps/bridge/dist/main.js is missing: run `pnpm build` before these tests");
}

export function cleanEnv(extra: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined &&
      !/^(MCP_|CC_|MINECRAFT_|(BRIDGE_URL|AUTH_TOKEN|LOG_LEVEL|NODE_OPTIONS)$)/.test(name),
  );
  // A test has its own history, or none: never that of the home folder.
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    CC_HISTORY: "memory",
    ...extra,
  };
}

/** Shorter than the deadline of a test, so that what the program wrote instead is shown. */
export const LINE_DEADLINE_MS = 240_000;

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface SpawnedProgram {
  child: ChildProcessWithoutNullStreams;
  lines: string[];
  stderr(): string;
  line(fits: (line: string) => boolean): Promise<string>;
  exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): Promise<Exit>;
}

export function spawnProgram(
  args: string[],
  env: Record<string, string> = {},
  command: string[] = [process.execPath, builtProgram()],
  options: Omit<SpawnOptions, "stdio"> = {},
): SpawnedProgram {
  const [file = "", ...first] = command;
  const child = spawn(file, [...first, ...args], {
    env: cleanEnv(env),
    ...options,
    stdio: "pipe",
  });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    for (const take of waiting) take(line);
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  const exited = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  onTestFinished(async () => {
    // A test may hold its pipes open; the process itself must end.
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    child.stdout.destroy();
    child.stderr.destroy();
  });
  return {
    child,
    lines,
    stderr: () => stderr,
    exited,
    kill,
    line: (fits) =>
      new Promise((resolve, reject) => {
        const found = lines.find(fits);
        if (found !== undefined) return resolve(found);
        const take = (line: string) => {
          if (!fits(line)) return;
          waiting.delete(take);
          clearTimeout(late);
          resolve(line);
        };
        waiting.add(take);
        const fail = (what: string) =>
          reject(new Error(`${what} before the line came: ${[...lines, stderr].join("\n")}`));
        const late = setTimeout(fail, LINE_DEADLINE_MS, `${LINE_DEADLINE_MS} ms went by`);
        void exited.then(({ code }) => {
          clearTimeout(late);
          fail(`the program ended with ${code}`);
        });
      }),
  };
}

export interface SpawnedBridge extends SpawnedProgram {
  mcpUrl: string;
  mcpPort: number;
  linkUrl: string;
  linkPort: number;
}

export async function spawnBridge(
  args: string[] = [],
  env: Record<string, string> = {},
  command?: string[],
): Promise<SpawnedBridge> {
  const spawned = spawnProgram(args, { MCP_PORT: "0", CC_LINK_PORT: "0", ...env }, command);
  const line = await spawned.line((text) => text.includes('"bridge started"'));
  const { mcpUrl, linkUrls } = JSON.parse(line) as { mcpUrl: string; linkUrls: string[] };
  const linkPort = Number(new URL(linkUrls[0] as string).port);
  return {
    ...spawned,
    mcpUrl,
    mcpPort: Number(new URL(mcpUrl).port),
    linkUrl: `ws://127.0.0.1:${linkPort}`,
    linkPort,
  };
}

export async function health(mcpUrl: string): Promise<Record<string, unknown>> {
  const response = await fetch(new URL("/health", mcpUrl));
  return (await response.json()) as Record<string, unknown>;
}
