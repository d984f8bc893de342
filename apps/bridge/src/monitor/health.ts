import type { Kinds } from "@ccbridge/mcp-tools";
import type { Registry } from "@ccbridge/registry";

export class LinkHistory {
  #linkedAt: number | undefined;
  #refused: { at: number; reason: string } | undefined;

  constructor({ changes }: Registry) {
    changes.subscribe(
      (change) => {
        const at = performance.now();
        if (change.topic === "linked") this.#linkedAt = at;
        else this.#refused = { at, reason: change.reason.slice(0, 200) };
      },
      { topics: ["linked", "refused"] },
    );
  }

  summary(): { lastLinkMsAgo: number | null; lastRefusal: LinkRefusal | null } {
    const ago = (at: number) => Math.round(performance.now() - at);
    return {
      lastLinkMsAgo: this.#linkedAt === undefined ? null : ago(this.#linkedAt),
      lastRefusal:
        this.#refused === undefined
          ? null
          : { msAgo: ago(this.#refused.at), reason: this.#refused.reason },
    };
  }
}

interface LinkRefusal {
  msAgo: number;
  reason: string;
}

export interface HealthSources {
  version: string;
  kinds: Kinds;
  registry: Registry;
  linkHistory: LinkHistory;
  history: { status(): object };
  cluster: { health(): object } | undefined;
  waiting(): number;
  linkPort(): number;
  details(): Record<string, unknown>;
}

export interface HealthFacts {
  open: Record<string, unknown>;
  local: Record<string, unknown>;
}

export function createHealth(sources: HealthSources): () => HealthFacts {
  const startedAt = Date.now();
  const { version, kinds, registry, linkHistory, history, cluster, waiting, linkPort, details } =
    sources;
  /** How many providers of each kind are linked, as `computers` and so on. */
  const counts = (isPublic: boolean) =>
    Object.fromEntries(
      kinds.all
        .filter((kind) => (kind.isCountPublic ?? false) === isPublic)
        .map(({ name, noun }) => [`${noun}s`, registry.dialect(name)?.list().length ?? 0]),
    );
  return () => ({
    open: { ...counts(true), waiting: waiting(), name: "ccbridge", side: "mcp" },
    local: {
      ...counts(false),
      ...details(),
      version,
      uptimeMs: Date.now() - startedAt,
      linkPort: linkPort(),
      ...linkHistory.summary(),
      history: history.status(),
      ...(cluster === undefined ? {} : { cluster: cluster.health() }),
    },
  });
}
