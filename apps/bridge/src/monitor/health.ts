import type { LinkHistory } from "./link-history.js";

export interface HealthSources {
  version: string;
  computers: { list(): readonly unknown[] };
  pages: { readonly connections: number };
  servers: { list(): readonly unknown[] };
  commandServers: { readonly waiting: unknown };
  history: LinkHistory;
  /** Computers that wait for approval. */
  waiting(): number;
  linkPort(): number;
}

/** The facts of GET /health: `open` for all clients, `local` for requests from this machine. */
export interface HealthFacts {
  open: Record<string, unknown>;
  local: Record<string, unknown>;
}

export function createHealth(sources: HealthSources): () => HealthFacts {
  const startedAt = Date.now();
  const { version, computers, pages, servers, commandServers, history, waiting } = sources;
  return () => ({
    open: {
      computers: computers.list().length,
      waiting: waiting(),
      name: "ccbridge",
      side: "mcp",
    },
    local: {
      pages: pages.connections,
      servers: servers.list().length,
      offeredServers: commandServers.waiting,
      version,
      uptimeMs: Date.now() - startedAt,
      linkPort: sources.linkPort(),
      ...history.summary(),
    },
  });
}
