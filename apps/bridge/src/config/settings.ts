import { z } from "zod";
import { clusterSettings } from "./cluster-settings.js";
import { computerSettings } from "./computer-settings.js";
import { historySettings } from "./history-settings.js";
import { mcpSettings } from "./mcp-settings.js";
import { pageSettings } from "./page-settings.js";
import { rightsSettings } from "./rights-settings.js";
import { serverSettings } from "./server-settings.js";
import { proxies, type Setting, setting, text } from "./setting.js";
import { toolSettings } from "./tool-settings.js";

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;

const generalSettings = {
  settingsFile: setting(
    "CC_SETTINGS_FILE",
    text,
    "",
    "path",
    "Where the settings are kept that an owner changes at the dashboard. None: .ccbridge/settings.json in the home folder; for a bridge on another link port, settings-PORT.json; on a random port (0), in memory. Flags and environment variables win over them.",
  ),
  trustedProxies: setting(
    "CC_TRUSTED_PROXIES",
    proxies,
    [] as string[],
    "addresses",
    "Proxies in front of the bridge, as addresses or ranges (127.0.0.1, 10.0.0.0/8), separated by commas. Their X-Forwarded-For and X-Forwarded-Proto are believed, on all ports; those of others are not.",
  ),
  logLevel: setting(
    "LOG_LEVEL",
    z.enum(logLevels, `must be one of ${logLevels.join(", ")}`) as z.ZodType<
      (typeof logLevels)[number],
      string
    >,
    "info",
    "level",
    `How much is logged: ${logLevels.join(", ")}.`,
  ),
} as const;

/** The references of settings and limits are generated from this table. */
export const settings = {
  ...mcpSettings,
  ...computerSettings,
  ...pageSettings,
  ...serverSettings,
  ...toolSettings,
  ...rightsSettings,
  ...historySettings,
  ...clusterSettings,
  ...generalSettings,
} as const;

/** As --help shows them. */
export const settingGroups: Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>> = {
  "MCP clients and the dashboard": mcpSettings,
  "Computers in the game": computerSettings,
  "Web pages": pageSettings,
  "Minecraft servers": serverSettings,
  Tools: toolSettings,
  "Permissions, pairing and audit": rightsSettings,
  History: historySettings,
  Clusters: clusterSettings,
  "Proxies, log and changed settings": generalSettings,
};

type Settings = typeof settings;
export type SettingName = keyof Settings;

export type Config = {
  readonly [Name in SettingName]: Settings[Name] extends Setting<infer T> ? T : never;
} & {
  readonly mcpFileTokens?: readonly string[];
  readonly tokenFlags?: readonly string[];
  /** Settings of the command line or the environment. */
  readonly given?: readonly SettingName[];
  /** Settings that an owner changed at the dashboard. */
  readonly kept?: readonly SettingName[];
};

export function flagOf(env: string): string {
  return env.toLowerCase().replaceAll("_", "-");
}

export function defaultConfig(): Config {
  const entries = Object.entries(settings).map(([name, { default: value }]) => [name, value]);
  return Object.fromEntries(entries) as Config;
}

export function ownTokens({ mcpTokens, mcpFileTokens }: Config): readonly string[] {
  const fromFile = new Set(mcpFileTokens);
  return mcpTokens.filter((token) => !fromFile.has(token));
}

export function environmentOf(config: Config): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, { env: variable, default: fallback }] of Object.entries(settings)) {
    const value = String(name === "mcpTokens" ? ownTokens(config) : config[name as SettingName]);
    if (value === String(fallback) || config.kept?.includes(name as SettingName)) continue;
    // Tokens from files are already in the lists, except those with rights.
    if (name === "mcpTokensFile" || !variable.endsWith("_TOKENS_FILE")) env[variable] = value;
  }
  return env;
}
