import { appendFileSync, chmodSync, existsSync, readFileSync } from "node:fs";
import { readTokenText } from "../auth/rights/token-file.js";
import { type ClientProgram, clientConfig } from "../config/client-configs.js";
import { type Config, environmentOf, ownTokens } from "../config/settings.js";
import { mcpUrl } from "../config/shown-commands.js";
import type { CommandContext } from "./context.js";

export interface AddTokenOptions {
  line: string;
  client: ClientProgram;
  config: Config;
  command: readonly string[];
}

/** `ccbridge token`: adds a token to the file, and prints how to use it. */
export function addToken(options: AddTokenOptions, { machine, print }: CommandContext): number {
  const { line, client, config, command } = options;
  const path = config.mcpTokensFile;
  const [token = ""] = line.split(" ");
  try {
    const before = existsSync(path) ? readFileSync(path, "utf8") : "";
    const separator = before === "" || before.endsWith("\n") ? "" : "\n";
    const added = `${separator}${line}\n`;
    // The bridge rejects the whole file if one line is invalid.
    const [problem] = readTokenText(path, before + added, ownTokens(config)).problems;
    if (problem !== undefined) {
      print(`Nothing was added, since the file could not be used: ${problem}\n`);
      return 1;
    }
    appendFileSync(path, added, { mode: 0o600 });
    if (process.platform !== "win32") chmodSync(path, 0o600);
  } catch (error) {
    print(`Nothing was added: ${(error as Error).message}\n`);
    return 1;
  }
  const env = { ...environmentOf({ ...config, mcpTokens: [token], mcpFileTokens: [] }) };
  const { where, text } = clientConfig(client, {
    url: mcpUrl(config, config.mcpPort),
    token,
    command,
    env,
    platform: machine.platform,
  });
  print(`Added to ${path}:\n\n  ${line}\n\nFor ${client}, in ${where}:\n\n${text}\n`);
  return 0;
}
