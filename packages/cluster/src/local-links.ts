import { LinkErrorCode, type Provider, type Registry } from "@ccbridge/registry";
import type { LocalLinks } from "./ownership.js";

const PROBE_MS = 5_000;

const MOVED = "it is linked to another bridge of the cluster";

export interface OwnedLinks extends LocalLinks {
  subscribe(listener: LinkListener): () => void;
}

interface LinkListener {
  linked(key: string): void;
  unlinked(key: string): void;
  changed(key: string): void;
  event(provider: Provider, event: string): void;
}

/** The links of a registry, as the directory shows them. */
export function localLinks(registry: Registry): OwnedLinks {
  /** How often each provider has offered other tools. */
  const offers = new Map<string, number>();
  return {
    *keys() {
      for (const { provider } of registry.sessions()) yield provider.key;
    },
    describe(key) {
      const session = registry.session(key);
      if (session === undefined) return undefined;
      const { provider, owner, state, linkedAt, lastSeenAt, pausedSince } = session;
      const hasOffer = registry.offered.all().has(key);
      const offer = hasOffer ? (offers.get(key) ?? 1) : 0;
      const watches = registry.events.get(key)?.watches.lists ?? [];
      const asked = watches.length === 0 ? {} : { watches };
      return { provider, owner, state, linkedAt, lastSeenAt, pausedSince, offer, ...asked };
    },
    async probe(key) {
      const session = registry.session(key);
      if (session === undefined) return false;
      // An answer to a question that is asked now: what was sent earlier may still be read from a dead socket.
      try {
        await session.request("ping", undefined, { timeoutMs: PROBE_MS });
        return session.open;
      } catch {
        return false;
      }
    },
    drop: (key) => registry.session(key)?.close(LinkErrorCode.replaced, MOVED),
    subscribe: (listener) =>
      registry.changes.subscribe(
        (change) => {
          const { topic, provider } = change;
          const { key } = provider;
          if (topic === "events") return listener.event(provider, change.event);
          if (topic === "linked")
            return change.again ? listener.changed(key) : listener.linked(key);
          if (topic === "unlinked") {
            offers.delete(key);
            return listener.unlinked(key);
          }
          if (topic === "tools") offers.set(key, (offers.get(key) ?? 0) + 1);
          listener.changed(key);
        },
        { topics: ["linked", "unlinked", "state", "tools", "events"] },
      ),
  };
}
