import type { ActionResult } from "@ccbridge/protocol/dashboard";
import { clientConfig, clients } from "../config/client-configs.js";
import { linkAddresses } from "../config/public-urls.js";
import { type Config, environmentOf } from "../config/settings.js";
import { allowCommand, gameCommand } from "../config/shown-commands.js";

export interface ConnectFactsOptions {
  config: Config;
  origin: string;
  linkPort: number;
  needsToken: boolean;
  command: readonly string[];
  ownCommand: string;
}

/** How computers and clients connect to this bridge, without tokens: the page knows its own. */
export function connectFacts(options: ConnectFactsOptions): ActionResult<"connect"> {
  const { config, origin, linkPort, command, needsToken } = options;
  const url = `${config.mcpPublicUrl || origin}/mcp`;
  const token = needsToken ? "YOUR_TOKEN" : undefined;
  const settings = Object.entries(environmentOf(config)).filter(([name]) => !/TOKEN/.test(name));
  const env = {
    ...Object.fromEntries(settings),
    ...(needsToken ? { MCP_TOKENS: "YOUR_TOKEN" } : {}),
  };
  return {
    url,
    gameCommand: gameCommand(config, linkPort),
    allowCommand: allowCommand(options),
    addressRule: addressRule(config, linkPort),
    needsToken,
    needsLinkToken: config.linkTokens.length > 0,
    clients: clients.map((client) => ({
      client,
      ...clientConfig(client, { url, token, command, env }),
    })),
  };
}

/** The rule that lets computers reach this bridge. It must come before the one that denies `$private`. */
function addressRule(config: Config, linkPort: number): string {
  const [address = { host: "127.0.0.1", port: linkPort }] = linkAddresses(config, linkPort);
  return `[[http.rules]]\n\thost = ${JSON.stringify(address.host)}\n\tport = ${address.port}\n\taction = "allow"\n`;
}
