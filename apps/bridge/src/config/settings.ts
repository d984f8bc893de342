import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { type ToolGroup, toolGroupNames } from "@ccbridge/mcp-tools";
import { registryDefaults } from "@ccbridge/registry";
import { z } from "zod";
import { hostName } from "../http/hosts.js";

/** One setting: the same words serve the environment, the flags, --help and the reference. */
interface Setting<T> {
  /** The environment variable; the flag is its name in lower case with hyphens. */
  env: string;
  /** What the value looks like, for --help. */
  value: string;
  description: string;
  default: T;
  schema: z.ZodType<T, string>;
}

function setting<T>(
  env: string,
  schema: z.ZodType<T, string>,
  fallback: NoInfer<T>,
  value: string,
  description: string,
): Setting<T> {
  return { env, value, description, default: fallback, schema };
}

function integer(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
}

const text = z.string().min(1, "must not be empty");
/** An IPv6 address may come in the brackets that it wears in a URL. */
const host = text.transform((value) => value.replace(/^\[(.*)\]$/, "$1"));
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);
const tokens = z
  .string()
  // A list with nothing but commas is a mistake, and would leave the door open.
  .refine((value) => value === "" || /[^,\s]/.test(value), { message: "holds no token" })
  .pipe(list)
  .refine((items) => items.every(isToken), {
    message: "must be tokens of printable ASCII without spaces, separated by commas",
  });
const hosts = list.refine((items) => items.every((item) => item === "*" || isHost(item)), {
  message: "must be names or addresses without scheme and port, separated by commas",
});
const origins = list.refine((items) => items.every(isOrigin), {
  message: "must be origins such as https://example.org, separated by commas",
});
const folders = list.refine((pairs) => pairs.every(isFolderPair) && areNamesUnique(pairs), {
  message:
    "must be pairs of a name and an absolute path such as scripts=/home/me/scripts, separated by commas",
});
const port = integer(0, 65_535);
const duration = integer(10, 86_400_000);
const bytes = integer(1_024, 1_073_741_824);

/** Tokens travel in HTTP headers and URLs, and in lists with commas. */
export function isToken(value: string): boolean {
  return /^[\x21-\x2b\x2d-\x7e]+$/.test(value);
}

function isHost(value: string): boolean {
  return isIP(value) !== 0 || hostName(value) === value.toLowerCase();
}

/** `localhost:3000` is a URL too, but its origin is "null", which every sandboxed page has. */
function isOrigin(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isFolderPair(pair: string): boolean {
  const [, path] = /^[\w.-]{1,64}=(.+)$/.exec(pair) ?? [];
  return path !== undefined && isAbsolute(path);
}

function areNamesUnique(pairs: string[]): boolean {
  return new Set(pairs.map((pair) => pair.split("=")[0])).size === pairs.length;
}

type ToolChoice = ToolGroup | "all" | "slim";

const toolChoices: readonly ToolChoice[] = ["all", "slim", ...toolGroupNames];

function isToolChoice(name: string): name is ToolChoice {
  return (toolChoices as readonly string[]).includes(name);
}

export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;

/** Every setting of the bridge. The configuration reference is made from this table. */
export const settings = {
  mcpHost: setting("MCP_HOST", host, "127.0.0.1", "host", "Address on which MCP clients connect."),
  mcpPort: setting("MCP_PORT", port, 3_000, "port", "Port on which MCP clients connect."),
  linkHost: setting(
    "CC_LINK_HOST",
    host,
    "0.0.0.0",
    "host",
    "Address on which computers connect. The Minecraft server must reach it.",
  ),
  linkPort: setting("CC_LINK_PORT", port, 3_001, "port", "Port on which computers connect."),
  mcpTokens: setting(
    "MCP_TOKENS",
    tokens,
    [] as string[],
    "tokens",
    "Bearer tokens that MCP clients may use, separated by commas. None: no token is needed.",
  ),
  mcpTokensFile: setting(
    "MCP_TOKENS_FILE",
    text,
    "",
    "path",
    "File with more of them, one a line; lines with # are comments.",
  ),
  linkTokens: setting(
    "CC_LINK_TOKENS",
    tokens,
    [] as string[],
    "tokens",
    "Tokens that computers may use, separated by commas. None: no token is needed.",
  ),
  linkTokensFile: setting(
    "CC_LINK_TOKENS_FILE",
    text,
    "",
    "path",
    "File with more of them, one a line; lines with # are comments.",
  ),
  mcpAllowedHosts: setting(
    "MCP_ALLOWED_HOSTS",
    hosts,
    [] as string[],
    "hosts",
    "Further names under which MCP clients may reach the bridge (the Host header), `*` for any.",
  ),
  mcpAllowedOrigins: setting(
    "MCP_ALLOWED_ORIGINS",
    origins,
    [] as string[],
    "origins",
    "Web pages that may talk to the bridge from a browser (the Origin header).",
  ),
  linkAllowedHosts: setting(
    "CC_LINK_ALLOWED_HOSTS",
    hosts,
    ["*"],
    "hosts",
    "Names under which computers may reach the bridge (the Host header), `*` for any.",
  ),
  tools: setting(
    "CC_TOOLS",
    list.refine((names): names is ToolChoice[] => names.every(isToolChoice), {
      message: `must be some of ${toolChoices.join(", ")}, separated by commas`,
    }) as unknown as z.ZodType<ToolChoice[], string>,
    ["all"],
    "groups",
    `Groups of tools to offer: ${toolChoices.join(", ")}; slim are the five most useful.`,
  ),
  syncFolders: setting(
    "CC_SYNC_FOLDERS",
    folders,
    [] as string[],
    "folders",
    "Folders of this machine that sync-folder may read and write, as name=/absolute/path, separated by commas.",
  ),
  probeTimeoutMs: setting(
    "CC_PROBE_TIMEOUT_MS",
    duration,
    2_000,
    "ms",
    "How long probe-computers waits for an answer.",
  ),
  execWaitMs: setting(
    "CC_EXEC_WAIT_MS",
    integer(0, 50_000),
    30_000,
    "ms",
    "How long exec-lua waits for the end of its job when the caller does not say.",
  ),
  cancelGraceMs: setting(
    "CC_CANCEL_GRACE_MS",
    duration,
    registryDefaults.cancelGraceMs,
    "ms",
    "How long a computer may take to confirm that it stopped a job.",
  ),
  maxJobs: setting(
    "CC_MAX_JOBS",
    integer(1, 16),
    registryDefaults.maxJobs,
    "count",
    "Jobs that may run on one computer at once; further ones wait.",
  ),
  keepJobs: setting(
    "CC_KEEP_JOBS",
    integer(0, 100_000),
    registryDefaults.keepJobs,
    "count",
    "Finished jobs that are kept.",
  ),
  keepJobsMs: setting(
    "CC_KEEP_JOBS_MS",
    duration,
    registryDefaults.keepJobsMs,
    "ms",
    "How long a finished job is kept.",
  ),
  lostAfterMs: setting(
    "CC_LOST_AFTER_MS",
    duration,
    registryDefaults.lostAfterMs,
    "ms",
    "How long a computer may stay away before its jobs count as lost.",
  ),
  unknownJobs: setting(
    "CC_UNKNOWN_JOBS",
    z.enum(["keep", "cancel"], "must be keep or cancel") as z.ZodType<"keep" | "cancel", string>,
    registryDefaults.unknownJobs,
    "policy",
    "What becomes of jobs that a computer brings along from an earlier run: keep or cancel.",
  ),
  helloTimeoutMs: setting(
    "CC_HELLO_TIMEOUT_MS",
    duration,
    registryDefaults.helloTimeoutMs,
    "ms",
    "How long a new connection may take to say who it is.",
  ),
  heartbeatMs: setting(
    "CC_HEARTBEAT_MS",
    duration,
    registryDefaults.heartbeatMs,
    "ms",
    "How long a computer may be quiet before it is pinged.",
  ),
  unresponsiveAfterMs: setting(
    "CC_UNRESPONSIVE_AFTER_MS",
    duration,
    registryDefaults.unresponsiveAfterMs,
    "ms",
    "How long a computer may be silent before it is shown as unresponsive.",
  ),
  dropAfterMs: setting(
    "CC_DROP_AFTER_MS",
    duration,
    registryDefaults.dropAfterMs,
    "ms",
    "How long a computer may be silent before its link is dropped.",
  ),
  maxLinks: setting(
    "CC_MAX_LINKS",
    integer(1, 1_000_000),
    registryDefaults.maxLinks,
    "count",
    "Computers that may be linked at once.",
  ),
  maxPending: setting(
    "CC_MAX_PENDING",
    integer(1, 100_000),
    registryDefaults.maxPending,
    "count",
    "Requests that may wait for one computer at once.",
  ),
  maxFrameBytes: setting(
    "CC_MAX_FRAME_BYTES",
    bytes,
    registryDefaults.maxFrameBytes,
    "bytes",
    "Largest message to and from a computer; CC:Tweaked itself allows 131072.",
  ),
  maxToAgentBytes: setting(
    "CC_MAX_TO_AGENT_BYTES",
    bytes,
    registryDefaults.maxToAgentBytes,
    "bytes",
    "Largest request to a computer, sent in several messages.",
  ),
  maxFromAgentBytes: setting(
    "CC_MAX_FROM_AGENT_BYTES",
    bytes,
    registryDefaults.maxFromAgentBytes,
    "bytes",
    "Largest answer of a computer, sent in several messages.",
  ),
  maxTransferBytes: setting(
    "CC_MAX_TRANSFER_BYTES",
    bytes,
    registryDefaults.maxTransferBytes,
    "bytes",
    "Unfinished answers of all computers together.",
  ),
  maxBufferedBytes: setting(
    "CC_MAX_BUFFERED_BYTES",
    bytes,
    registryDefaults.maxBufferedBytes,
    "bytes",
    "What may wait for one computer that does not read.",
  ),
  maxOutputLength: setting(
    "CC_MAX_OUTPUT_LENGTH",
    integer(1_024, 67_108_864),
    registryDefaults.maxOutputLength,
    "chars",
    "Output of one job that is kept; the oldest is dropped.",
  ),
  maxEvents: setting(
    "CC_MAX_EVENTS",
    integer(1, 100_000),
    registryDefaults.maxEvents,
    "count",
    "Events of one computer that are kept; the oldest are dropped.",
  ),
  maxSessions: setting(
    "MCP_MAX_SESSIONS",
    integer(1, 100_000),
    256,
    "count",
    "MCP sessions at once; the longest idle one makes room for a new one.",
  ),
  sessionIdleMs: setting(
    "MCP_SESSION_IDLE_MS",
    integer(1_000, 2_147_483_647),
    86_400_000,
    "ms",
    "How long an MCP session may be idle before it is forgotten.",
  ),
  bodyLimitBytes: setting(
    "MCP_BODY_LIMIT_BYTES",
    bytes,
    4 * 1_024 * 1_024,
    "bytes",
    "Largest request of an MCP client.",
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

type Settings = typeof settings;
export type SettingName = keyof Settings;

/** The settings of a running bridge. */
export type Config = {
  readonly [Name in SettingName]: Settings[Name] extends Setting<infer T> ? T : never;
};

/** The flag of a setting: MCP_PORT is --mcp-port. */
export function flagOf(env: string): string {
  return env.toLowerCase().replaceAll("_", "-");
}

/** All settings at their defaults. */
export function defaultConfig(): Config {
  const entries = Object.entries(settings).map(([name, { default: value }]) => [name, value]);
  return Object.fromEntries(entries) as Config;
}

/** The environment that makes another bridge have these settings. */
export function environmentOf(config: Config): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, { env: variable, default: fallback }] of Object.entries(settings)) {
    const value = String(config[name as SettingName]);
    // The tokens of a file are among the tokens.
    if (value !== String(fallback) && !variable.endsWith("_FILE")) env[variable] = value;
  }
  return env;
}
