import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { discoverServer } from "./config/discovery.js";
import { accessWarnings, ConfigError, loadConfig, type Overrides } from "./config/load.js";
import type { Config } from "./config/schema.js";
import { messageOf } from "./errors.js";
import { shownUrl } from "./link/shown-url.js";
import { tryBridge } from "./link/try-bridge.js";
import { explainRconError } from "./rcon/client.js";
import { RconConnection } from "./rcon/connection.js";
import { pingServer } from "./status/ping.js";

const TRY_MS = 3_000;

export interface CheckOptions {
  folder: string;
  path: string;
  overrides: Overrides;
  print(text: string): void;
}

/** Runs every check once and prints advice. True when both the server and the bridge work. */
export async function checkEverything(options: CheckOptions): Promise<boolean> {
  const { folder, path, overrides, print } = options;
  // The other checks are useful even with an incomplete file.
  const { config, problem } = load(path, overrides);
  const found = discoverServer(folder);
  const { rcon, management, software, gamePort, logPath, advice } = found;
  print(`Server software: ${software}`);
  const host = config?.server.game_host ?? found.host;
  const port = config?.server.game_port ?? gamePort;
  print(`Game port ${host}:${port}: ${await tryGame(host, port)}`);
  const log = config?.server.log === undefined ? logPath : resolve(folder, config.server.log);
  print(
    `Log ${log}: ${existsSync(log) ? "found" : "does not exist yet; events will follow once the server writes it"}`,
  );
  const remote = {
    host: config?.server.rcon_host ?? found.host,
    port: config?.server.rcon_port ?? rcon?.port,
    password: config?.server.rcon_password ?? rcon?.password,
  };
  const rconProblem = await tryRcon(remote);
  print(`RCON: ${rconProblem ?? `works, at ${remote.host}:${remote.port}`}`);
  print(`Management protocol: ${management === undefined ? "off" : `on, at ${management.url}`}`);
  for (const sentence of advice) print(`- ${sentence}`);
  if (config === undefined) {
    print(`Configuration: ${problem}`);
    return false;
  }
  for (const sentence of accessWarnings(path, config)) print(`- ${sentence}`);
  const { url, auth_token: token } = config.bridge;
  const bridgeProblem = await tryBridge({ url, token }, TRY_MS);
  print(`Bridge ${shownUrl(url)}: ${bridgeProblem ?? "accepts the token"}`);
  return rconProblem === undefined && bridgeProblem === undefined;
}

function load(path: string, overrides: Overrides): { config?: Config; problem?: string } {
  try {
    return { config: loadConfig(path, overrides) };
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message };
    throw error;
  }
}

async function tryGame(host: string, port: number): Promise<string> {
  try {
    const { version, online, max } = await pingServer({ host, port, timeoutMs: TRY_MS });
    return `answers; version ${version ?? "unknown"}, ${online ?? "?"} of ${max ?? "?"} players`;
  } catch (error) {
    return `does not answer: ${messageOf(error)} (is the server running?)`;
  }
}

async function tryRcon(found: {
  host: string;
  port: number | undefined;
  password: string | undefined;
}): Promise<string | undefined> {
  const { host, port, password } = found;
  if (port === undefined || password === undefined) return "off";
  try {
    const connection = await RconConnection.open({ host, port, password }, { timeoutMs: TRY_MS });
    connection.close();
    return undefined;
  } catch (error) {
    return `does not work at ${host}:${port}: ${explainRconError(error as Error)}`;
  }
}
