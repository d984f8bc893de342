import { ConfigError, loadCommand } from "../../src/config/load.js";
import type { Config } from "../../src/config/settings.js";

export type Env = Record<string, string | undefined>;

export function config(argv: string[], env: Env = {}): Config {
  const command = loadCommand({ argv, env });
  if (command.action !== "serve") throw new Error(`expected serve, got ${command.action}`);
  return command.config;
}

export function problems(argv: string[], env: Env = {}): readonly string[] {
  try {
    loadCommand({ argv, env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
