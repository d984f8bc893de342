import { type Config, settings } from "./settings.js";

export type Side = "mcp" | "link" | "pages" | "servers";

type PortName = "mcpPort" | "linkPort" | "pagesPort" | "minecraftPort";

export interface ListenerPlan {
  side: Side;
  title: string;
  name: PortName;
  host: string;
  port: number;
  setting: string;
}

export function planListeners(config: Config): ListenerPlan[] {
  const listeners = [
    listener("mcp", "MCP", config.mcpHost, "mcpPort"),
    listener("link", "Link", config.linkHost, "linkPort"),
  ];
  if (takesPages(config)) listeners.push(listener("pages", "Page", config.pagesHost, "pagesPort"));
  if (config.minecraftPort !== 0) {
    listeners.push(listener("servers", "Server", config.linkHost, "minecraftPort"));
  }
  return listeners;

  function listener(side: Side, title: string, host: string, name: PortName): ListenerPlan {
    return { side, title, host, name, port: config[name], setting: settings[name].env };
  }
}

export function takesPages({ pagesOrigins, pagesTokens }: Config): boolean {
  return pagesOrigins.length > 0 || pagesTokens.length > 0;
}
