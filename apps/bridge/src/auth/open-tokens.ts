import { ConfigError } from "../config/load.js";
import { type Config, ownTokens, settings } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";
import { TokenSource } from "./token-source.js";

/** The tokens of MCP clients. A file that cannot be used is a reason not to start. */
export function openTokens(config: Config, log: Logger): TokenSource {
  const variable = settings.mcpTokensFile.env;
  const options = {
    tokens: ownTokens(config),
    path: config.mcpTokensFile,
    onReload(outcome: { clients: number } | { problems: readonly string[] }) {
      if ("problems" in outcome) log.error(outcome, `${variable} is not used: the old one stays`);
      else log.info(outcome, `${variable} was read again`);
    },
  };
  return new TokenSource(options, (problems) => {
    throw new ConfigError(problems.map((problem) => `${variable}: ${problem}`));
  });
}
