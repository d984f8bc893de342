import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { messageOf } from "../errors.js";
import { type Config, ConfigSchema, problemsOf } from "./schema.js";

const CONFIG_FILE = "minecraft-mcp-bridge.toml";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface Overrides {
  url?: string | undefined;
  token?: string | undefined;
  name?: string | undefined;
}

export function configPath(folder: string): string {
  const places = [join(folder, "config", CONFIG_FILE), join(folder, CONFIG_FILE)];
  const [first = ""] = places;
  return places.find((path) => existsSync(path)) ?? first;
}

export function loadConfig(path: string, overrides: Overrides): Config {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return parseConfig(text, overrides, path);
}

export function accessWarnings(path: string, { bridge }: Config): string[] {
  if (process.platform === "win32" || bridge.auth_token === "" || !existsSync(path)) return [];
  const isOpen = (statSync(path).mode & 0o006) !== 0;
  const holdsToken = isOpen && readFileSync(path, "utf8").includes(bridge.auth_token);
  return holdsToken
    ? [
        `Every user of this machine can read or change ${path}, which holds the token. Run: chmod o-rwx ${JSON.stringify(path)}`,
      ]
    : [];
}

export function parseConfig(text: string, overrides: Overrides, path = CONFIG_FILE): Config {
  let raw: unknown;
  try {
    raw = parse(text);
  } catch (error) {
    // Later lines quote the file and may contain a token.
    const [reason = ""] = messageOf(error).split("\n");
    const line = error instanceof TomlError ? ` (line ${error.line})` : "";
    throw new ConfigError(`${path}: ${reason}${line}`);
  }
  const parsed = ConfigSchema.safeParse(withOverrides(raw as Record<string, object>, overrides));
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError([`${path} cannot be used:`, ...issues].join("\n  "));
  }
  const problems = problemsOf(parsed.data);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return parsed.data;
}

function withOverrides(raw: Record<string, object>, { url, token, name }: Overrides): unknown {
  return {
    ...raw,
    bridge: {
      ...raw.bridge,
      ...(url === undefined ? {} : { url }),
      ...(token === undefined ? {} : { auth_token: token }),
    },
    server: { ...raw.server, ...(name === undefined ? {} : { name }) },
  };
}
