#!/usr/bin/env node
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bridge, startBridge } from "./bridge.js";
import { commandContext as context, ownCommand, programCommand } from "./cli/context.js";
import { helpText } from "./cli/help.js";
import { createReport, reportText } from "./cli/report.js";
import { startupWarnings } from "./cli/warnings.js";
import { type Command, ConfigError, loadCommand } from "./config/load.js";
import type { Config } from "./config/settings.js";
import { StartError } from "./http/listen.js";
import { loadSdk } from "./mcp/sdk/index.js";
import { createLogger } from "./monitor/log.js";
import { hasLostTerminal, stopSignals } from "./system.js";
import { version } from "./version.js";

/** The process exits after this even if closing hangs. */
const EXIT_DEADLINE_MS = 1_800;
/** A member of a cluster first lets what runs end, and hands over what waits. */
const DRAIN_DEADLINE_MS = 20_000;

const WARM_UP_MS = 2_000;

const program = fileURLToPath(import.meta.url);
const command = programCommand(program, process.env, process.platform);

const actions: {
  [Action in Command["action"]]: (
    command: Extract<Command, { action: Action }>,
  ) => number | Promise<number | undefined>;
} = {
  help: ({ of }) => print(helpText(of, ownCommand(process.env))),
  version: () => print(`${version}\n`),
  "print-client-config": async (options) =>
    (await loadCommands()).printClientConfig({ ...options, command }, context()),
  allow: async (command) => (await loadCommands()).allow(command, context()),
  doctor: async ({ config }) => (await loadCommands()).doctor({ config, version }, context()),
  token: async (options) => (await loadCommands()).token({ ...options, command }, context()),
  pair: async (command) => (await loadCommands()).pair(command, context()),
  "update-agents": async (command) => (await loadCommands()).updateAgents(command, context()),
  "minecraft-agent": async ({ argv }) => (await loadCommands()).minecraftAgent(argv),
  serve: async ({ config, stdio, demo }) => {
    if (stdio) await runStdio(config);
    else if (demo) await runDemo(config);
    else await run(config);
    return undefined;
  },
};

/** Few starts need one of them. */
function loadCommands() {
  return import("./commands.js");
}

async function main(): Promise<void> {
  const asked = loadCommand({ argv: process.argv.slice(2), env: process.env, home: homedir() });
  // The table maps each action to the function for its command.
  const act = actions[asked.action] as (asked: Command) => Promise<number | undefined>;
  const code = await act(asked);
  if (code !== undefined) process.exitCode = code;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function runDemo(config: Config): Promise<void> {
  const { demoConfig, startDemo } = await import("./cli/demo.js");
  const quiet = demoConfig(process.stdout.isTTY ? { ...config, logLevel: "warn" } : config);
  startDemo(quiet, await run(quiet, { isDemo: true }));
}

async function run(config: Config, { isDemo = false } = {}): Promise<Bridge> {
  const pretty = process.stdout.isTTY === true;
  const log = await createLogger({ level: config.logLevel, fd: 1, pretty });
  const own = ownCommand(process.env);
  const page = builtIn("dashboard/index.html");
  const folder = page && dirname(page);
  const dashboard = folder === undefined ? undefined : { folder, command, ownCommand: own, isDemo };
  const screenView = builtIn("dashboard/screen-view.html");
  const bridge = await startBridge({ config, log, version, dashboard, screenView });
  // Loading the SDK must neither delay the start nor the first client.
  setTimeout(() => void loadSdk(), WARM_UP_MS).unref();
  const deadlineMs = config.cluster.length === 0 ? EXIT_DEADLINE_MS : DRAIN_DEADLINE_MS;
  const stop = stopOnSignals(() => bridge.close(), deadlineMs);
  if (process.platform !== "win32") {
    process.on("SIGHUP", () => (hasLostTerminal(pretty) ? stop() : bridge.reload()));
  }
  const report = createReport({
    config,
    version,
    command,
    ownCommand: own,
    hasDashboard: folder !== undefined,
    isDemo,
    linked: bridge.registry.size,
    history: bridge.history.status(),
    ...ports(bridge),
  });
  if (pretty) {
    process.stdout.write(reportText(report));
  } else {
    const { warnings, ...facts } = report;
    log.info(facts, "bridge started");
    for (const warning of warnings) log.warn(warning);
  }
  return bridge;
}

async function runStdio(config: Config): Promise<void> {
  const pretty = process.stderr.isTTY === true;
  const log = await createLogger({ level: config.logLevel, fd: 2, pretty });
  // They are about a bridge that runs here.
  const warnings = config.bridgeUrl === "" ? startupWarnings(config) : [];
  for (const warning of warnings) log.warn(warning);
  const screenView = builtIn("dashboard/screen-view.html");
  const { serveStdio } = await import("./cli/stdio/stdio.js");
  const session = await serveStdio({ config, log, version, screenView });
  const stop = stopOnSignals(() => session.close());
  await session.ended;
  stop();
}

function ports({ mcpPort, linkPort, pagesPort, minecraftPort }: Bridge) {
  return { mcpPort, linkPort, pagesPort, minecraftPort };
}

function builtIn(path: string): string | undefined {
  const file = fileURLToPath(new URL(`./${path}`, import.meta.url));
  return existsSync(file) ? file : undefined;
}

function stopOnSignals(close: () => Promise<void>, deadlineMs = EXIT_DEADLINE_MS): () => void {
  let stopping = false;
  const stop = () => {
    // A package manager forwards Ctrl+C, which arrives twice.
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), deadlineMs).unref();
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of stopSignals(process.platform)) process.on(signal, stop);
  return stop;
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exit(1);
});
