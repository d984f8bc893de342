import { localAddress, reachableAddresses, urlHost } from "./addresses.js";
import type { Config } from "./settings.js";

export interface HostAndPort {
  host: string;
  port: number;
}

export function localMcpOrigin({ mcpHost }: Config, mcpPort: number): string {
  return `http://${urlHost(localAddress(mcpHost))}:${mcpPort}`;
}

export function mcpOrigin(config: Config, mcpPort: number): string {
  return config.mcpPublicUrl || localMcpOrigin(config, mcpPort);
}

export function linkOrigins(config: Config, linkPort: number): string[] {
  if (config.linkPublicUrl !== "") return [config.linkPublicUrl];
  return reachableAddresses(config.linkHost).map((host) => `http://${urlHost(host)}:${linkPort}`);
}

/** The same as host and port, for the game's HTTP rules. */
export function linkAddresses(config: Config, linkPort: number): HostAndPort[] {
  if (config.linkPublicUrl !== "") return [hostAndPort(config.linkPublicUrl)];
  return reachableAddresses(config.linkHost).map((host) => ({ host, port: linkPort }));
}

export function socketUrl(origin: string): string {
  return origin.replace(/^http/, "ws");
}

export function publicNames(url: string): string[] {
  return url === "" ? [] : [hostAndPort(url).host];
}

/** Normalizes a public URL to an origin. Undefined when it has a path, a user or another scheme. */
export function readPublicUrl(text: string): string | undefined {
  const http = text.replace(/^ws(?=s?:\/\/)/i, "http");
  if (!/^https?:\/\/[^\\@?#]+$/i.test(http) || !URL.canParse(http)) return undefined;
  const { origin, pathname } = new URL(http);
  return pathname === "/" ? origin : undefined;
}

/** Reads the address of a bridge, by HTTP or WebSocket, with or without a path. Undefined for other texts. */
export function readBridgeUrl(text: string): URL | undefined {
  const isAddress = /^(https?|wss?):\/\/[^\\@?#]+$/i.test(text);
  return isAddress && URL.canParse(text) ? new URL(text) : undefined;
}

function hostAndPort(origin: string): HostAndPort {
  const { hostname, port, protocol } = new URL(origin);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}
