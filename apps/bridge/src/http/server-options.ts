import type { FastifyServerOptions } from "fastify";

/** What both listeners have in common: nobody may take for ever to send a request. */
export function serverOptions(requestTimeoutMs: number) {
  return {
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs,
      // How exactly the times are kept.
      connectionsCheckingInterval: Math.min(Math.ceil(requestTimeoutMs / 4), 5_000),
    },
  } satisfies FastifyServerOptions & { http: object };
}
