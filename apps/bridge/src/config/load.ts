import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Client, clients } from "../clients/client-config.js";
import { isToken } from "./setting.js";
import { type Config, defaultConfig, flagOf, type SettingName, settings } from "./settings.js";

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

const switches = ["help", "version", "stdio", "slim"];

function readFlags(argv: readonly string[], problems: string[]): Map<string, string> {
  const known = new Set([
    ...Object.values(settings).map(({ env }) => flagOf(env)),
    "print-client-config",
    "tools",
  ]);
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "v" },
    stdio: { type: "boolean" },
    slim: { type: "boolean" },
  };
  for (const name of known) options[name] = { type: "string" };
  // Package managers pass their own "--" on.
  const start = argv.findIndex((arg) => arg !== "--");
  const args = start < 0 ? [] : argv.slice(start);
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  let last = "";
  for (const token of tokens) {
    if (token.kind === "positional") {
      // What follows a mistyped flag or a token may be a secret.
      if (last === "unknown") continue;
      const shown = isSecret(last) ? "An argument" : JSON.stringify(token.value.slice(0, 60));
      problems.push(`${shown}${last === "" ? "" : ` after --${last}`} is not a flag; see --help`);
    } else if (token.kind === "option") {
      const { name, rawName, value } = token;
      last = name;
      if (switches.includes(name)) {
        if (value === undefined) flags.set(name, "");
        else problems.push(`${rawName} takes no value`);
      } else if (!known.has(name)) {
        last = "unknown";
        problems.push(`${rawName} is unknown; see --help`);
      } else if (value === undefined || (!token.inlineValue && value.startsWith("--"))) {
        problems.push(`${rawName} needs a value`);
      } else flags.set(name, value.trim());
    }
  }
  // Short names for what is asked for most.
  const short = flags.has("slim") ? "slim" : flags.get("tools");
  if (short !== undefined) flags.set(flagOf(settings.tools.env), short);
  return flags;
}

function isSecret(flag: string): boolean {
  return flag.endsWith("-tokens");
}

function readConfig(
  flags: Map<string, string>,
  env: ConfigSources["env"],
  problems: string[],
): Config {
  const config: Record<string, unknown> = { ...defaultConfig() };
  const bad = new Set<SettingName>();
  for (const [name, { env: variable, schema }] of Object.entries(settings)) {
    const flag = flagOf(variable);
    // An empty variable is as good as none: that is how compose files and shells unset one.
    const raw = flags.get(flag) ?? (env[variable]?.trim() || undefined);
    if (raw === undefined) continue;
    const parsed = schema.safeParse(raw);
    if (parsed.success) config[name] = parsed.data;
    else {
      bad.add(name as SettingName);
      const source = flags.has(flag) ? `--${flag}` : variable;
      const shown = isSecret(flag) ? "" : ` (is ${JSON.stringify(raw.slice(0, 60))})`;
      problems.push(`${source} ${parsed.error.issues[0]?.message ?? "is not valid"}${shown}`);
    }
  }
  addTokens(config, "mcpTokens", "mcpTokensFile", problems);
  addTokens(config, "linkTokens", "linkTokensFile", problems);
  const complete = Object.freeze(config) as unknown as Config;
  checkTogether(complete, bad, problems);
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
    // Node's message names the path.
    problems.push(`${variable}: cannot read the file: ${(error as Error).message}`);
    return;
  }
  const found = content
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (found.length === 0) problems.push(`${variable}: ${path} holds no token`);
  if (!found.every(isToken)) {
    problems.push(
      `${variable}: ${path} holds a token that is not printable ASCII without spaces and commas`,
    );
  }
  config[name] = [...(config[name] as string[]), ...found];
}

/** Settings that must fit each other; a bad one is a problem of its own already. */
function checkTogether(config: Config, bad: Set<SettingName>, problems: string[]): void {
  const good = (...names: SettingName[]) => !names.some((name) => bad.has(name));
  if (good("mcpPort", "linkPort") && config.mcpPort === config.linkPort && config.mcpPort !== 0) {
    problems.push(`MCP_PORT and CC_LINK_PORT are both ${config.mcpPort}; they need a port each`);
  }
  const order = ["heartbeatMs", "unresponsiveAfterMs", "dropAfterMs"] as const;
  for (const [index, longer] of order.entries()) {
    const shorter = order[index - 1];
    if (shorter === undefined || !good(shorter, longer)) continue;
    if (config[longer] < config[shorter]) {
      problems.push(
        `${settings[longer].env} (${config[longer]}) must not be less than ${settings[shorter].env} (${config[shorter]})`,
      );
    }
  }
}
