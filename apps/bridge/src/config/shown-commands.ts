import { urlHost } from "./addresses.js";
import { linkAddresses, linkOrigins, mcpOrigin } from "./public-urls.js";
import { type Config, flagOf, settings } from "./settings.js";

export function mcpUrl(config: Config, port: number): string {
  return `${mcpOrigin(config, port)}/mcp`;
}

/** The line that installs and links a computer, to type in the game. */
export function gameCommand(config: Config, linkPort: number): string {
  const [origin] = linkOrigins(config, linkPort);
  const token = config.linkTokens.length > 0 ? "?token=YOUR_TOKEN" : "";
  return `wget run ${origin}/install.lua${token}`;
}

export function allowCommand({
  config,
  ownCommand,
  linkPort,
}: {
  config: Config;
  ownCommand: string;
  linkPort: number;
}): string {
  if (config.linkPublicUrl !== "") {
    const [{ host, port } = { host: "", port: 0 }] = linkAddresses(config, linkPort);
    return `${ownCommand} allow --address ${urlHost(host)}:${port}`;
  }
  const { env, default: usual } = settings.linkPort;
  const port = linkPort === usual ? "" : ` --${flagOf(env)} ${linkPort}`;
  const host =
    config.linkHost === settings.linkHost.default
      ? ""
      : ` --${flagOf(settings.linkHost.env)} ${config.linkHost}`;
  return `${ownCommand} allow${host}${port}`;
}
