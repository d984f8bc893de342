import type { Kinds } from "@ccbridge/mcp-tools";
import type { Registry } from "@ccbridge/registry";

/** Times are milliseconds since 1970. */
export interface LastLinks {
  readonly linkedAt?: number | undefined;
  readonly refused?: { readonly at: number; readonly reason: string } | undefined;
}

export class LinkHistory {
  #last: LastLinks = {};
  /** Called with what another process needs to continue. */
  onChange: ((last: LastLinks) => void) | undefined;

  constructor({ changes }: Registry) {
    changes.subscribe(
      (change) => {
        const at = Date.now();
        const news =
          change.topic === "linked"
            ? { linkedAt: at }
            : { refused: { at, reason: change.reason.slice(0, 200) } };
        this.#last = { ...this.#last, ...news };
        this.onChange?.(this.#last);
      },
      { topics: ["linked", "refused"] },
    );
  }

  restore(last: LastLinks): void {
    this.#last = last;
  }

  summary(): { lastLinkMsAgo: number | null; lastRefusal: LinkRefusal | null } {
    const { linkedAt, refused } = this.#last;
    // The clock may have been set back.
    const ago = (at: number) => Math.max(0, Date.now() - at);
    return {
      lastLinkMsAgo: linkedAt === undefined ? null : ago(linkedAt),
      lastRefusal:
        refused === undefined ? null : { msAgo: ago(refused.at), reason: refused.reason },
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
  /** How many providers of each kind are linked, by the plural of its noun. */
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
