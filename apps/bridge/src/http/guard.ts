import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { HostCheck, reachableAddresses } from "../config/addresses.js";
import { publicNames } from "../config/public-urls.js";
import type { Config } from "../config/settings.js";
import { refuse } from "./errors.js";
import { isOwnOrigin } from "./forwarding.js";

const CORS_METHODS = "GET, POST, DELETE";
const CORS_HEADERS =
  "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID";

/**
 * Checks Host and Origin independently and on every route, so that no web page can reach a bridge
 * on the user's machine, by DNS rebinding or otherwise.
 */
export function mcpGuard(config: Config): onRequestHookHandler {
  const hosts = new HostCheck([
    "localhost",
    "127.0.0.1",
    "::1",
    ...reachableAddresses(config.mcpHost),
    ...config.mcpAllowedHosts,
    ...publicNames(config.mcpPublicUrl),
  ]);
  const origins = new Set(config.mcpAllowedOrigins.map((origin) => new URL(origin).origin));

  return (request, reply, done) => {
    const { host, origin } = request.headers;
    if (!hosts.accepts(host)) {
      refuse(reply, 403, "This Host is not allowed. Add it to MCP_ALLOWED_HOSTS.");
      return;
    }
    if (origin === undefined) return done();
    // The listener's own pages are allowed; other origins must be listed.
    if (!isOwnOrigin(request, config.mcpPublicUrl) && !origins.has(origin)) {
      refuse(reply, 403, "This Origin is not allowed. Add it to MCP_ALLOWED_ORIGINS.");
      return;
    }
    reply.raw.setHeader("Access-Control-Allow-Origin", origin);
    reply.raw.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
    reply.raw.setHeader("Vary", "Origin");
    if (request.method !== "OPTIONS") return done();
    reply
      .code(204)
      .header("Access-Control-Allow-Methods", CORS_METHODS)
      .header("Access-Control-Allow-Headers", CORS_HEADERS)
      .send();
  };
}

export function localPort({ raw }: FastifyRequest): number {
  return raw.socket.localPort ?? 0;
}
