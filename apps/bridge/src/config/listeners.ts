import { type Config, settings } from "./settings.js";

/** Who comes in by a port. */
export type Side = "mcp" | "link" | "pages" | "servers";

type PortName = "mcpPort" | "linkPort" | "pagesPort" | "minecraftPort";

/** A port that a bridge with these settings listens on. */
export interface ListenerPlan {
  side: Side;
  /** What people call the port. */
  title: string;
  /** Its setting. */
  name: PortName;
  host: string;
  port: number;
  /** The environment variable of that setting. */
  setting: string;
}

/** Every port of a bridge; the MCP and the link port first. */
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

/** Whether web pages may connect. */
export function takesPages({ pagesOrigins, pagesTokens }: Config): boolean {
  return pagesOrigins.length > 0 || pagesTokens.length > 0;
}
