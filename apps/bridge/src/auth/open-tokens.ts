import { ConfigError } from "../config/load.js";
import { type Config, ownTokens, settings } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";
import { TokenSource } from "./token-source.js";

/** Opens the tokens of MCP clients. An unusable file prevents the start. */
export function openTokens(config: Config, log: Logger): TokenSource {
  const variable = settings.mcpTokensFile.env;
  const options = {
    tokens: ownTokens(config),
    path: config.mcpTokensFile,
    onReload(outcome: { clients: number } | { problems: readonly string[] }) {
      if ("problems" in outcome)
        log.error(outcome, `${variable} was not reloaded: the previous tokens stay in use`);
      else log.info(outcome, `${variable} was reloaded`);
    },
  };
  return new TokenSource(options, (problems) => {
    throw new ConfigError(problems.map((problem) => `${variable}: ${problem}`));
  });
}
