import { homedir } from "node:os";
import nodePath, { type PlatformPath } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** The command that starts this program again, for texts that show what to type. */
export function ownCommand(env: Env): string {
  const { npm_lifecycle_event: script, npm_config_user_agent: agent = "" } = env;
  const { CCBRIDGE_COMMAND: started } = env;
  const pnpm = /^pnpm\/([\w.-]+)/.exec(agent)?.[1];
  if (script === "start" && pnpm !== undefined) return `npx -y pnpm@${pnpm} start`;
  // Set by start.js in a clone.
  if (started !== undefined) return started;
  return isRunByNpx(env) ? "npx ccbridge" : "ccbridge";
}

export function programCommand(program: string, env: Env, platform: NodeJS.Platform): string[] {
  // npx deletes and replaces its copies.
  if (!isRunByNpx(env)) return ["node", program];
  // On Windows npx is a .cmd file, which only a shell can run.
  return [...(platform === "win32" ? ["cmd", "/c"] : []), "npx", "-y", "ccbridge"];
}

function isRunByNpx({ npm_command, npm_lifecycle_script = "" }: Env): boolean {
  return npm_command === "exec" && /^['"]?ccbridge(?:['"\s]|$)/.test(npm_lifecycle_script);
}

export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  path: PlatformPath;
  /** Node's version without the v. */
  version: string;
  now(): number;
}

export interface CommandContext {
  machine: Machine;
  program: string;
  print(text: string): void;
  complain(text: string): void;
  /** Undefined when the program is not interactive. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
}

export function commandContext(): CommandContext {
  const { stdin, stdout, stderr, platform, env } = process;
  return {
    machine: {
      platform,
      home: homedir(),
      env,
      cwd: process.cwd(),
      path: nodePath,
      version: process.versions.node,
      now: Date.now,
    },
    program: ownCommand(env),
    print: (text) => void stdout.write(text),
    complain: (text) => void stderr.write(text),
    confirm: stdin.isTTY === true && stdout.isTTY === true ? confirm : undefined,
  };
}

async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${question} [Y/n] `);
    return /^\s*(y|yes)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}
