import type { FastifyServerOptions } from "fastify";
import { proxyTrust } from "../net/trusted-proxies.js";

/** No route here has a schema of Fastify's: loading what compiles them would take a fifth of the start. */
const noCompiler = () => () => {
  throw new Error("no route has a schema");
};

/** What both listeners have in common: nobody may take forever to send a request. */
export function serverOptions(requestTimeoutMs: number, trustedProxies: readonly string[]) {
  return {
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    trustProxy: trustedProxies.length > 0 && proxyTrust(trustedProxies),
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
    http: {
      headersTimeout: requestTimeoutMs,
      // How exactly the times are kept.
      connectionsCheckingInterval: Math.min(Math.ceil(requestTimeoutMs / 4), 5_000),
    },
  } satisfies FastifyServerOptions & { http: object };
}
