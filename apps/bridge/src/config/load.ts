import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Client, clients } from "../startup/client-config.js";
import {
  type Config,
  defaultConfig,
  flagOf,
  isToken,
  type SettingName,
  settings,
} from "./settings.js";

/** What the user asked the program to do. */
export type Command =
  | { action: "help" }
  | { action: "version" }
  | { action: "print-client-config"; client: Client; config: Config }
  | { action: "serve"; stdio: boolean; config: Config };

/** Every problem of the given settings, so that the user can mend them in one go. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The bridge cannot start with these settings:\n${problems.map((p) => `  - ${p}`).join("\n")}`,
    );
    this.problems = problems;
  }
}

export interface ConfigSources {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Reads flags and environment; flags win. Throws a {@link ConfigError} with all problems. */
export function loadCommand({ argv, env }: ConfigSources): Command {
  const problems: string[] = [];
  const flags = readFlags(argv, problems);
  if (flags.has("help")) return { action: "help" };
  if (flags.has("version")) return { action: "version" };
  const config = readConfig(flags, env, problems);
  const client = flags.get("print-client-config");
  if (client !== undefined && !isClient(client)) {
    problems.push(`--print-client-config must be one of ${clients.join(", ")}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  if (client !== undefined) {
    return { action: "print-client-config", client: client as Client, config };
  }
  return { action: "serve", stdio: flags.has("stdio"), config };
}

function isClient(value: string): value is Client {
  return (clients as readonly string[]).includes(value);
}

const switches = ["help", "version", "stdio"];

function readFlags(argv: readonly string[], problems: string[]): Map<string, string> {
  const known = new Set([
    ...Object.values(settings).map(({ env }) => flagOf(env)),
    "print-client-config",
  ]);
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "v" },
    stdio: { type: "boolean" },
  };
  for (const name of known) options[name] = { type: "string" };
  // Package managers pass their own "--" on.
  const args = argv[0] === "--" ? argv.slice(1) : argv;
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === "positional") {
      problems.push(`"${token.value}" is not a flag; see --help`);
    } else if (token.kind === "option") {
      if (switches.includes(token.name)) flags.set(token.name, "");
      else if (!known.has(token.name)) problems.push(`${token.rawName} is unknown; see --help`);
      else if (token.value === undefined) problems.push(`${token.rawName} needs a value`);
      else flags.set(token.name, token.value);
    }
  }
  return flags;
}

function readConfig(
  flags: Map<string, string>,
  env: ConfigSources["env"],
  problems: string[],
): Config {
  const config: Record<string, unknown> = { ...defaultConfig() };
  for (const [name, { env: variable, schema }] of Object.entries(settings)) {
    const flag = flagOf(variable);
    // An empty variable is as good as none: that is how compose files and shells unset one.
    const raw = flags.get(flag) ?? (env[variable] || undefined);
    if (raw === undefined) continue;
    const parsed = schema.safeParse(raw);
    if (parsed.success) config[name] = parsed.data;
    else {
      const source = flags.has(flag) ? `--${flag}` : variable;
      const shown = /TOKENS$/.test(variable) ? "" : ` (is "${raw.slice(0, 60)}")`;
      problems.push(`${source} ${parsed.error.issues[0]?.message ?? "is not valid"}${shown}`);
    }
  }
  addTokens(config, "mcpTokens", "mcpTokensFile", problems);
  addTokens(config, "linkTokens", "linkTokensFile", problems);
  const complete = Object.freeze(config) as unknown as Config;
  checkTogether(complete, problems);
  return complete;
}

function addTokens(
  config: Record<string, unknown>,
  name: "mcpTokens" | "linkTokens",
  file: SettingName,
  problems: string[],
): void {
  const path = config[file] as string;
  if (path === "") return;
  const variable = settings[file].env;
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    problems.push(`${variable}: cannot read ${path}: ${(error as Error).message}`);
    return;
  }
  const found = content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (found.length === 0) problems.push(`${variable}: ${path} holds no token`);
  if (!found.every(isToken)) {
    problems.push(`${variable}: ${path} holds a token that is not printable ASCII without spaces`);
  }
  config[name] = [...(config[name] as string[]), ...found];
}

function checkTogether(config: Config, problems: string[]): void {
  if (config.mcpPort === config.linkPort && config.mcpPort !== 0) {
    problems.push(`MCP_PORT and CC_LINK_PORT are both ${config.mcpPort}; they need a port each`);
  }
  if (config.unresponsiveAfterMs < config.heartbeatMs) {
    problems.push("CC_UNRESPONSIVE_AFTER_MS must not be less than CC_HEARTBEAT_MS");
  }
  if (config.dropAfterMs < config.unresponsiveAfterMs) {
    problems.push("CC_DROP_AFTER_MS must not be less than CC_UNRESPONSIVE_AFTER_MS");
  }
}
