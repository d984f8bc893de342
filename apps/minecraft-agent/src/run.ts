import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Agent } from "./agent.js";
import { type Command, helpText, parseCommand } from "./arguments.js";
import { checkEverything } from "./check.js";
import { ConfigError } from "./config/load.js";
import { configTemplate } from "./config/template.js";
import { messageOf } from "./errors.js";
import { Logger } from "./logging.js";
import { version } from "./version.js";

export interface ProcessEnv {
  argv: string[];
  env: Record<string, string | undefined>;
  print(text: string): void;
  complain(text: string): void;
  stop: Promise<void>;
}

export async function runAgent(processEnv: ProcessEnv): Promise<number> {
  try {
    return await perform(parseCommand(processEnv.argv, processEnv.env), processEnv);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    processEnv.complain(error.message);
    return 1;
  }
}

async function perform(command: Command, { print, stop }: ProcessEnv): Promise<number> {
  switch (command.action) {
    case "help":
      print(helpText);
      return 0;
    case "version":
      print(version);
      return 0;
    case "write-config":
      writeConfig(command);
      print(`Wrote ${command.path}. Set auth_token in it, then start the agent.`);
      return 0;
    case "check":
      return check(command, print);
    case "run":
      return run(command, print, stop);
  }
}

type FolderCommand = Extract<Command, { folder: string }>;

function writeConfig({ folder, path, overrides }: FolderCommand): void {
  requireFolder(folder);
  if (existsSync(path)) throw new ConfigError(`${path} already exists and was not changed.`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    // It will contain a token.
    writeFileSync(path, configTemplate(overrides), { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new ConfigError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

async function check(command: FolderCommand, print: (text: string) => void): Promise<number> {
  requireFolder(command.folder);
  return (await checkEverything({ ...command, print })) ? 0 : 1;
}

async function run(
  { folder, path, overrides }: FolderCommand,
  print: (text: string) => void,
  stop: Promise<void>,
): Promise<number> {
  requireFolder(folder);
  const log = new Logger({ write: print, level: "INFO" });
  let giveUp = () => {};
  const givenUp = new Promise<number>((resolve) => {
    giveUp = () => resolve(1);
  });
  const agent = new Agent({ folder, configPath: path, overrides, log, onGivenUp: giveUp });
  await agent.start();
  const code = await Promise.race([stop.then(() => 0), givenUp]);
  await agent.stop();
  return code;
}

function requireFolder(folder: string): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new ConfigError(`${folder} is not a folder. Name the folder of the Minecraft server.`);
  }
}
