import { localAddress, urlHost } from "./addresses.js";
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

interface ShownCommand {
  config: Config;
  ownCommand: string;
}

/** The line that starts this bridge again: without its ports another one would be started. */
export function startCommand({ config, ownCommand }: ShownCommand): string {
  const names = ["mcpHost", "mcpPort", "linkHost", "linkPort"] as const;
  return `${ownCommand}${names.map((name) => flagFor(name, config[name])).join("")}`;
}

export function allowCommand(command: ShownCommand & { linkPort: number }): string {
  const { config, ownCommand, linkPort } = command;
  if (config.linkPublicUrl !== "") {
    const [{ host, port } = { host: "", port: 0 }] = linkAddresses(config, linkPort);
    return `${ownCommand} allow --address ${urlHost(host)}:${port}`;
  }
  return `${ownCommand} allow${flagFor("linkHost", config.linkHost)}${flagFor("linkPort", linkPort)}`;
}

export function pairCommand(command: ShownCommand & { mcpPort: number }): string {
  const { config, ownCommand, mcpPort } = command;
  const host = localAddress(config.mcpHost);
  return `${ownCommand} pair CODE${flagFor("mcpHost", host)}${flagFor("mcpPort", mcpPort)}`;
}

type PlaceName = "mcpHost" | "mcpPort" | "linkHost" | "linkPort";

function flagFor(name: PlaceName, value: string | number): string {
  const { env, default: usual } = settings[name];
  return value === usual ? "" : ` --${flagOf(env)} ${value}`;
}
