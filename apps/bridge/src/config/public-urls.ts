import { localAddress, reachableAddresses, urlHost } from "./addresses.js";
import type { Config } from "./settings.js";

/** A host and a port, as the rules of the game have them. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** Where programs on this machine reach the MCP port, whatever its public address is. */
export function localMcpOrigin({ mcpHost }: Config, mcpPort: number): string {
  return `http://${urlHost(localAddress(mcpHost))}:${mcpPort}`;
}

/** Where MCP clients and browsers reach the bridge. */
export function mcpOrigin(config: Config, mcpPort: number): string {
  return config.mcpPublicUrl || localMcpOrigin(config, mcpPort);
}

/** Where computers reach the bridge, by HTTP, most useful first. */
export function linkOrigins(config: Config, linkPort: number): string[] {
  if (config.linkPublicUrl !== "") return [config.linkPublicUrl];
  return reachableAddresses(config.linkHost).map((host) => `http://${urlHost(host)}:${linkPort}`);
}

/** The same for the rules of the game, which have host and port. */
export function linkAddresses(config: Config, linkPort: number): HostAndPort[] {
  if (config.linkPublicUrl !== "") return [hostAndPort(config.linkPublicUrl)];
  return reachableAddresses(config.linkHost).map((host) => ({ host, port: linkPort }));
}

/** The address of a WebSocket at an HTTP address. */
export function socketUrl(origin: string): string {
  return origin.replace(/^http/, "ws");
}

/** The name in a public address, for the check of the Host header; none when there is no such address. */
export function publicNames(url: string): string[] {
  return url === "" ? [] : [hostAndPort(url).host];
}

/** What a person writes as a public address, as an origin. Undefined when it has a path, a user or another scheme. */
export function readPublicUrl(text: string): string | undefined {
  const http = text.replace(/^ws(?=s?:\/\/)/i, "http");
  if (!/^https?:\/\/[^\\@?#]+$/i.test(http) || !URL.canParse(http)) return undefined;
  const { origin, pathname } = new URL(http);
  return pathname === "/" ? origin : undefined;
}

function hostAndPort(origin: string): HostAndPort {
  const { hostname, port, protocol } = new URL(origin);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}
