import {
  addToken,
  type EditedFile,
  removeToken,
  rotateToken,
  TokenFileError,
} from "../auth/rights/edit-token-file.js";
import { readTokenFile } from "../auth/rights/token-file.js";
import { clientConfig } from "../config/client-configs.js";
import { environmentOf, settings } from "../config/settings.js";
import { mcpUrl } from "../config/shown-commands.js";
import { newToken, type TokenCommand, usualTokensFile } from "../config/token-command.js";
import type { CommandContext } from "./context.js";

export interface TokenOptions extends Omit<TokenCommand, "action"> {
  command: readonly string[];
}

/** `ccbridge token`: lists and changes the tokens in the file of a bridge, running or not. */
export function token(options: TokenOptions, context: CommandContext): number {
  const { config, verb, name } = options;
  const path = config.mcpTokensFile || usualTokensFile(context.machine.home);
  const file = { path, own: config.mcpTokens };
  try {
    switch (verb) {
      case "list":
        return list(path, context);
      case "add":
        return add(file, options, context);
      case "remove":
        removeToken(file, name);
        context.print(`${name} is removed from ${path}. A running bridge refuses it at once.\n`);
        return 0;
      case "rotate": {
        const replacement = newToken();
        rotateToken(file, name, replacement);
        context.print(
          `${name} has a new token in ${path}; a running bridge refuses the old one at once.\n\n${clientText(replacement, options, context)}`,
        );
        return 0;
      }
    }
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    context.print(`Nothing was changed. ${error.message}\n`);
    return 1;
  }
}

/** Without the tokens: a list is for people to look at, also on a shared screen. */
function list(path: string, { print, program }: CommandContext): number {
  const { lines, problems } = readTokenFile(path);
  if (problems.length > 0) {
    print(`${problems.join("\n")}\nTo create one: ${program} token add --name NAME\n`);
    return 1;
  }
  print(`${path}:\n\n`);
  for (const { client, words } of lines) {
    const rights = words.replace(/(^|\s)name=\S+/, "").trim();
    print(`  ${client.name.padEnd(20)}  ${rights === "" ? "everything" : rights}\n`);
  }
  return 0;
}

function add(file: EditedFile, options: TokenOptions, context: CommandContext): number {
  const isNew = addToken(file, options.line);
  const [secret = ""] = options.line.split(" ");
  const restart = isNew
    ? `\nThis is a new file. Restart the bridge${options.config.mcpTokensFile === "" ? "" : `, with ${settings.mcpTokensFile.env} set to it`}: from then on clients and the dashboard need a token.\n`
    : "";
  context.print(
    `Added to ${file.path}:\n\n  ${options.line}\n${restart}\n${clientText(secret, options, context)}`,
  );
  return 0;
}

function clientText(
  secret: string,
  { client, config, command }: TokenOptions,
  { machine: { platform } }: CommandContext,
): string {
  const env = environmentOf({ ...config, mcpTokens: [secret], mcpTokensFile: "" });
  const url = mcpUrl(config, config.mcpPort);
  const { where, text } = clientConfig(client, { url, token: secret, command, env, platform });
  return `For ${client}, in ${where}:\n\n${text}\n`;
}
