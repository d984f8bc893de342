import { homedir } from "node:os";
import nodePath, { type PlatformPath } from "node:path";
import { createInterface } from "node:readline/promises";
import { ownCommand } from "./own-command.js";

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
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`${question} [Y/n] `);
    return /^\s*(y|yes)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
}
