import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { EXAMPLE_TOKEN } from "@ccbridge/protocol/minecraft";
import { readTokenFile } from "../auth/rights/token-file.js";
import { isToken } from "../auth/rights/token-line.js";
import { hostName } from "./addresses.js";
import { type ClientProgram, clients, isClient } from "./client-configs.js";
import { isSecret, readCommandLine } from "./flags.js";
import { planListeners } from "./listeners.js";
import { liveNameOf, readKeptSettings, usualSettingsFile } from "./live-settings.js";
import { didYouMean } from "./nearest.js";
import { type HostAndPort, linkAddresses, readBridgeUrl } from "./public-urls.js";
import { type Config, defaultConfig, flagOf, type SettingName, settings } from "./settings.js";
import type { SubcommandName } from "./subcommands.js";
import { readTokenCommand, type TokenCommand, usualTokensFile } from "./token-command.js";

export type Command =
  | { action: "help"; of?: SubcommandName | "settings" | undefined }
  | { action: "version" }
  | {
      action: "print-client-config";
      client: ClientProgram;
      asked: { name: string | undefined; mode: string | undefined };
      config: Config;
    }
  | { action: "allow"; addresses: HostAndPort[]; folders: string[]; remove: boolean; yes: boolean }
  | { action: "doctor"; config: Config }
  | TokenCommand
  | { action: "pair"; code: string | undefined; revoke: string | undefined; config: Config }
  | { action: "update-agents"; computers: string[]; config: Config }
  | { action: "minecraft-agent"; argv: string[] }
  | { action: "serve"; stdio: boolean; demo: boolean; config: Config };

/** Contains every problem, so that the user can fix them all at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(
    problems: readonly string[],
    summary = "The bridge cannot start with these settings",
  ) {
    super(`${summary}:\n${problems.map((p) => `  - ${p}`).join("\n")}`);
    this.problems = problems;
  }
}

export interface ConfigSources {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, where files are looked for that no setting names. */
  home?: string;
}

/** Reads flags, environment and what owners changed; the first wins. Throws a {@link ConfigError} with all problems. */
export function loadCommand({ argv, env, home }: ConfigSources): Command {
  // A separate program with its own flags.
  const [first, ...rest] = argv.filter((arg) => arg !== "--");
  if (first === "minecraft-agent") return { action: "minecraft-agent", argv: rest };
  const problems: string[] = [];
  const { subcommand, flags, args, isUnknown } = readCommandLine(argv, problems);
  if (isUnknown) throw new ConfigError(problems, "Nothing was started");
  if (flags.has("help")) return { action: "help", of: subcommand };
  if (flags.has("help-settings")) return { action: "help", of: "settings" };
  if (flags.has("version")) return { action: "version" };
  const config = readConfig({ flags, env, home, problems, only: neededBy(subcommand) });
  const command = readCommand();
  if (problems.length > 0) {
    throw new ConfigError(
      problems,
      subcommand && `ccbridge ${subcommand} cannot run with these settings`,
    );
  }
  return command;

  function readCommand(): Command {
    switch (subcommand) {
      case "allow":
        return allowCommand(config, flags, args, problems);
      case "doctor":
        return { action: "doctor", config };
      case "token":
        return readTokenCommand(config, flags, args, problems);
      case "pair":
        return { action: "pair", code: args[0], revoke: flags.get("revoke"), config };
      case "update-agents":
        return { action: "update-agents", computers: args, config };
      default:
        return serveCommand(config, flags, problems);
    }
  }
}

function serveCommand(config: Config, flags: Map<string, string>, problems: string[]): Command {
  const client = flags.get("print-client-config");
  const asked = { name: flags.get("name"), mode: flags.get("mode") };
  if (client === undefined) {
    for (const [flag, value] of Object.entries(asked)) {
      if (value !== undefined)
        problems.push(`--${flag} belongs to --print-client-config or token add`);
    }
    const [stdio, demo] = [flags.has("stdio"), flags.has("demo")];
    if (stdio && demo)
      problems.push("--demo shows its base in a browser; it cannot be --stdio too");
    if (stdio) checkRemote(config, problems);
    return { action: "serve", stdio, demo, config };
  }
  if (isClient(client)) return { action: "print-client-config", client, asked, config };
  problems.push(
    `--print-client-config must be one of ${clients.join(", ")}${didYouMean(client, clients)}`,
  );
  return { action: "help" };
}

function checkRemote({ bridgeUrl, authToken }: Config, problems: string[]): void {
  if (bridgeUrl === "") return;
  if (readBridgeUrl(bridgeUrl) === undefined) {
    problems.push(
      "BRIDGE_URL must be the address of a bridge, such as https://bridge.example.org, without user, ? and #",
    );
  }
  if (authToken !== "" && !isToken(authToken)) {
    problems.push("AUTH_TOKEN must be a token of printable ASCII without spaces and commas");
  }
}

function allowCommand(
  config: Config,
  flags: Map<string, string>,
  folders: string[],
  problems: string[],
): Command {
  const given = flags.get("address");
  const port = config.linkPort;
  const addresses =
    given === undefined ? linkAddresses(config, port) : [readAddress(given, port, problems)];
  const [remove, yes] = [flags.has("remove"), flags.has("yes")];
  return { action: "allow", addresses, folders, remove, yes };
}

/** A host with or without a port, possibly copied from a link URL. */
function readAddress(text: string, fallback: number, problems: string[]): HostAndPort {
  const match =
    /^(?:\w+:\/\/)?(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)|([0-9a-f:.]+))(?::(\d+))?\/?$/i.exec(text);
  const host = match?.[1] ?? match?.[2] ?? match?.[3] ?? "";
  const port = match?.[4] === undefined ? fallback : Number(match[4]);
  const isGood = (isIP(host) !== 0 || hostName(host) === host.toLowerCase()) && port <= 65_535;
  if (!isGood || host === "") {
    problems.push(
      `--address must be a host or host:port; it is ${JSON.stringify(withoutSecrets(text).slice(0, 60))}`,
    );
  }
  return { host, port };
}

function withoutSecrets(url: string): string {
  return url.replace(/\?.*/s, "?...").replace(/\/\/.*@/s, "//...@");
}

const otherNames: Readonly<Record<string, string>> = {
  MCP_TOKENS: "MCP_AUTH_TOKENS",
  MINECRAFT_TOKENS: "MINECRAFT_AUTH_TOKEN",
  MINECRAFT_PORT: "PORT",
};

function fromEnvironment(env: ConfigSources["env"], variable: string): string | undefined {
  const own = env[variable]?.trim();
  if (own) return own;
  const other = otherNames[variable];
  // Many hosting platforms set PORT for their own purposes.
  if (other === undefined || (other === "PORT" && !env.MINECRAFT_AUTH_TOKEN)) return undefined;
  return env[other]?.trim() || undefined;
}

/** The `token` command works where the other settings are those of a service, which it cannot see. */
function neededBy(subcommand: string | undefined): readonly SettingName[] | undefined {
  return subcommand === "token"
    ? ["mcpTokensFile", "mcpTokens", "mcpHost", "mcpPort", "mcpPublicUrl"]
    : undefined;
}

interface ReadOptions extends Pick<ConfigSources, "env"> {
  flags: ReadonlyMap<string, string>;
  home: string | undefined;
  problems: string[];
  /** Undefined: all of them, with the tokens of their files. */
  only: readonly SettingName[] | undefined;
}

function readConfig({ flags, env, home, problems, only }: ReadOptions): Config {
  const config: Record<string, unknown> = { ...defaultConfig() };
  const bad = new Set<SettingName>();
  const given: SettingName[] = [];
  for (const [name, { env: variable, schema }] of Object.entries(settings)) {
    if (only?.includes(name as SettingName) === false) continue;
    const flag = flagOf(variable);
    const raw = flags.get(flag) ?? fromEnvironment(env, variable);
    if (raw === undefined) continue;
    given.push(name as SettingName);
    const parsed = schema.safeParse(raw);
    if (parsed.success) config[name] = parsed.data;
    else {
      bad.add(name as SettingName);
      const source = flags.has(flag) ? `--${flag}` : variable;
      const safe = raw.includes("://") ? withoutSecrets(raw) : raw;
      const shown = isSecret(flag) ? "" : `; it is ${JSON.stringify(safe.slice(0, 60))}`;
      problems.push(`${source} ${parsed.error.issues[0]?.message ?? "is not valid"}${shown}`);
    }
  }
  const tokenFlags = [...flags.keys()].filter(
    (flag) => flag.endsWith("-tokens") && flags.get(flag) !== "",
  );
  if (tokenFlags.length > 0) config.tokenFlags = tokenFlags;
  if (only !== undefined) return Object.freeze(config) as unknown as Config;
  config.given = given;
  addKept(config as unknown as MutableConfig, home, problems);
  if (config.mcpTokensFile === "" && home !== undefined && existsSync(usualTokensFile(home))) {
    config.mcpTokensFile = usualTokensFile(home);
  }
  addTokens(config, "mcpTokens", "mcpTokensFile", problems);
  addTokens(config, "linkTokens", "linkTokensFile", problems);
  addTokens(config, "pagesTokens", "pagesTokensFile", problems);
  addTokens(config, "minecraftTokens", "minecraftTokensFile", problems);
  if ((config.minecraftTokens as string[]).includes(EXAMPLE_TOKEN)) {
    problems.push(`MINECRAFT_TOKENS_FILE holds "${EXAMPLE_TOKEN}", which is public`);
  }
  const complete = Object.freeze(config) as unknown as Config;
  checkTogether(complete, bad, problems);
  return complete;
}

type MutableConfig = { -readonly [Name in keyof Config]: Config[Name] };

/** What an owner changed at the dashboard holds unless the command line or the environment says otherwise. */
function addKept(config: MutableConfig, home: string | undefined, problems: string[]): void {
  const kept: SettingName[] = [];
  if (config.settingsFile === "" && home !== undefined) {
    config.settingsFile = usualSettingsFile(home, config.linkPort) ?? "";
    kept.push("settingsFile");
  }
  if (config.settingsFile === "") return;
  const { env: variable } = settings.settingsFile;
  try {
    for (const [env, text] of Object.entries(readKeptSettings(config.settingsFile))) {
      const name = liveNameOf(env);
      // A newer bridge keeps more settings there.
      if (name === undefined || config.given?.includes(name)) continue;
      const parsed = settings[name].schema.safeParse(text);
      if (parsed.success) {
        Object.assign(config, { [name]: parsed.data });
        kept.push(name);
      } else {
        problems.push(`${variable}: ${env} ${parsed.error.issues[0]?.message ?? "is not valid"}`);
      }
    }
    config.kept = kept;
  } catch (error) {
    problems.push(`${variable}: ${(error as Error).message}`);
  }
}

function addTokens(
  config: Record<string, unknown>,
  name: "mcpTokens" | "linkTokens" | "pagesTokens" | "minecraftTokens",
  file: SettingName,
  problems: string[],
): void {
  const path = config[file] as string;
  if (path === "") return;
  const variable = settings[file].env;
  const own = name === "mcpTokens" ? (config.mcpTokens as string[]) : [];
  const { lines, problems: found } = readTokenFile(path, own);
  problems.push(...found.map((problem) => `${variable}: ${problem}`));
  const tokens = lines.map(({ token }) => token);
  if (name === "mcpTokens") config.mcpFileTokens = tokens;
  else if (lines.some(({ words }) => words !== "")) {
    problems.push(`${variable}: ${path} gives rights, which only MCP clients have`);
  }
  config[name] = [...(config[name] as string[]), ...tokens];
}

/** Checks settings against each other, except those that are already invalid. */
function checkTogether(config: Config, bad: Set<SettingName>, problems: string[]): void {
  const good = (...names: SettingName[]) => !names.some((name) => bad.has(name));
  const listeners = planListeners(config).filter(({ name }) => good(name));
  for (const [index, { port, setting }] of listeners.entries()) {
    const other = listeners.slice(0, index).find((earlier) => earlier.port === port);
    if (other === undefined || port === 0) continue;
    problems.push(`${other.setting} and ${setting} are both ${port}; they need a port each`);
  }
  const open = config.mcpAllowedHosts.includes("*") && config.mcpTokens.length === 0;
  if (open && good("mcpAllowedHosts", "mcpTokens")) {
    problems.push(
      "MCP_ALLOWED_HOSTS=* lets any web page reach the bridge through a name that points at it (DNS rebinding), so it needs a token: set MCP_TOKENS, or list the names instead of *",
    );
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
