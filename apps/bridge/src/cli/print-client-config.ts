import { readTokenFile } from "../auth/rights/token-file.js";
import { bareTokens, type TokenLine } from "../auth/rights/token-line.js";
import { type ClientProgram, clientConfig } from "../config/client-configs.js";
import { type Config, environmentOf, ownTokens } from "../config/settings.js";
import { mcpUrl } from "../config/shown-commands.js";
import type { CommandContext } from "./context.js";

export interface PrintClientConfigOptions {
  client: ClientProgram;
  /** What the token must have; undefined if that does not matter. */
  asked: { name: string | undefined; mode: string | undefined };
  config: Config;
  command: readonly string[];
}

/**
 * `--print-client-config`: the configuration alone goes to stdout, so that it can be piped; where it belongs and whose
 * token it has go to stderr.
 */
export function printClientConfig(
  { client, asked, config, command }: PrintClientConfigOptions,
  { machine, program, print, complain }: CommandContext,
): number {
  const tokens = tokenLines(config);
  const chosen = tokens.find((line) => fits(line, asked));
  if (chosen === undefined && (tokens.length > 0 || Object.values(asked).some(Boolean))) {
    complain(`${missingText(tokens, asked, client, program)}\n`);
    return 1;
  }
  const env =
    chosen === undefined
      ? environmentOf(config)
      : environmentOf({ ...config, mcpTokens: [chosen.token], mcpFileTokens: [] });
  const { where, text } = clientConfig(client, {
    url: mcpUrl(config, config.mcpPort),
    token: chosen?.token,
    command,
    env,
    platform: machine.platform,
  });
  const whose =
    chosen && `, with the token ${chosen.client.name} (mode ${chosen.client.rights.mode})`;
  complain(`For ${client}, in ${where}${whose ?? ""}:\n`);
  print(`${text}\n`);
  return 0;
}

function tokenLines(config: Config): TokenLine[] {
  const own = ownTokens(config);
  const file = config.mcpTokensFile;
  return [...bareTokens(own), ...(file === "" ? [] : readTokenFile(file, own).lines)];
}

function fits({ client }: TokenLine, { name, mode }: PrintClientConfigOptions["asked"]): boolean {
  return (
    (name ?? client.name) === client.name && (mode ?? client.rights.mode) === client.rights.mode
  );
}

function missingText(
  tokens: readonly TokenLine[],
  { name, mode }: PrintClientConfigOptions["asked"],
  client: ClientProgram,
  program: string,
): string {
  const flags = [name && `--name ${name}`, mode && `--mode ${mode}`].filter(Boolean).join(" ");
  const known = tokens.map((line) => `${line.client.name} (mode ${line.client.rights.mode})`);
  const have = known.length === 0 ? "The bridge has no tokens." : `There are ${known.join(", ")}.`;
  return `No token fits ${flags}. ${have} To make one: ${program} token add ${flags} --client ${client}`;
}
