import type { Cluster, StreamPlace } from "@ccbridge/cluster";
import { createId, type LoggedEvent, type Provider, type Registry } from "@ccbridge/registry";
import { type CallRow, ELSEWHERE, type ElsewhereRow, type Store } from "@ccbridge/store";
import type { Audit } from "../calls/audit/audit.js";
import type { Config } from "../config/settings.js";
import { linkRowOf, rowOfEnded } from "../history/keep-calls.js";
import type { CallsElsewhere } from "../history/memory-history.js";

/** What bridges tell each other of what happened on them. */
type SharedRow =
  | { readonly what: "call"; readonly row: CallRow }
  | {
      readonly what: "link";
      readonly provider: Provider;
      readonly row: {
        readonly time: number;
        readonly what: string;
        readonly reason: string | null;
      };
    }
  | {
      readonly what: "event";
      readonly provider: Provider;
      readonly row: Pick<LoggedEvent, "time" | "name" | "args" | "dropped" | "truncated">;
    };

interface Sources {
  readonly audit: Audit;
  readonly registry: Registry;
  readonly config: Config;
  /** Undefined for a bridge that keeps its history in memory. */
  readonly store: Store | undefined;
  clean<T>(value: T): T;
  /** Where a bridge without a file keeps the calls of the others. */
  readonly calls: CallsElsewhere;
}

const DAY_MS = 86_400_000;
const ORIGIN = "history origin";
const PLACE = "history place";
/** How often it is written down how far the history of the others was read. */
const NOTE_MS = 1_000;
const EPOCH = Date.UTC(2026, 0, 1);

/** Publishes what happens on this bridge, and keeps what happens on the others as if it had happened here. */
export function shareHistory(cluster: Cluster, sources: Sources): () => void {
  const { audit, registry, config, store, clean, calls } = sources;
  const add = (row: SharedRow) => cluster.history.add(clean(row));
  const stops = [
    audit.trail.subscribe((record) => {
      const row = rowOfEnded(record);
      if (row !== undefined) add({ what: "call", row });
    }),
    registry.changes.subscribe(
      (change) => {
        const row = linkRowOf(change);
        if (row !== undefined)
          add({ what: "link", provider: change.provider, row: { time: Date.now(), ...row } });
      },
      { topics: ["linked", "unlinked"] },
    ),
  ];
  registry.events.onKept = (provider, { time, name, args, dropped, truncated }) => {
    if (provider.scope !== undefined) return;
    add({ what: "event", provider, row: { time, name, args, dropped, truncated } });
  };
  const { historyCallDays, historyEventDays, historyMaxBytes: maxBytes } = config;
  const maxAgeMs = Math.max(historyCallDays, historyEventDays) * DAY_MS;
  let noted = performance.now();
  let last = 0;
  /** No place of an event is given twice, also not after a restart. */
  const nextPlace = () => {
    last = Math.max(last + 1, (Date.now() - EPOCH) * 1_000);
    return ELSEWHERE + last;
  };
  cluster.history.start({
    origin: originOf(store),
    maxAgeMs,
    maxBytes,
    after: (store?.state(PLACE) as StreamPlace | undefined) ?? { sinceMs: maxAgeMs },
    async receive(rows, place) {
      const valid = rows as readonly SharedRow[];
      if (store === undefined) {
        for (const row of valid) if (row.what === "call") calls.add(row.row);
        return;
      }
      store.addElsewhere(valid.map((row) => elsewhereRow(row, nextPlace)));
      if (performance.now() - noted < NOTE_MS) return store.saveState(PLACE, place);
      noted = performance.now();
      // Waits for the disk: what is read faster than it is written would have to be dropped.
      await store.keepState(PLACE, place);
    },
  });
  return () => {
    for (const stop of stops) stop();
    registry.events.onKept = undefined;
  };
}

function originOf(store: Store | undefined): string {
  const known = store?.state(ORIGIN);
  if (typeof known === "string") return known;
  const origin = createId();
  store?.saveState(ORIGIN, origin, true);
  return origin;
}

function elsewhereRow(shared: SharedRow, nextPlace: () => number): ElsewhereRow {
  if (shared.what === "call") return { row: { ...shared.row, table: "calls" } };
  const { provider } = shared;
  const { key } = provider;
  if (shared.what === "link") {
    return { provider, row: { ...shared.row, table: "links", key, name: provider.name } };
  }
  const { row } = shared;
  const args = JSON.stringify(row.args);
  return { provider, row: { ...row, table: "events", key, seq: nextPlace(), args } };
}
