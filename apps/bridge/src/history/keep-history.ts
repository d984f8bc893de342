import type { Kinds } from "@ccbridge/mcp-tools";
import type { History, Registry } from "@ccbridge/registry";
import type { Alerts } from "../alerts/alerts.js";
import type { Clients } from "../auth/clients.js";
import type { Client } from "../auth/rights/client.js";
import type { Calls } from "../calls/open-calls.js";
import type { LinkHistory } from "../monitor/health.js";
import type { CallCounters } from "../monitor/metrics/counters.js";
import type { TurtleTracks } from "../monitor/tracks.js";
import { historyOf } from "./client-history.js";
import { keepCalls, keepLinks } from "./keep-calls.js";
import { keepJobChanges } from "./keep-job-changes.js";
import {
  keepAlerts,
  keepLastLinks,
  keepNumbers,
  keepPermissions,
  keepRates,
  keepTracks,
} from "./keep-states.js";
import { CallsElsewhere, memoryHistory } from "./memory-history.js";
import type { OpenedHistory } from "./open-history.js";

export interface Kept extends Pick<Calls, "audit" | "permissions" | "rates"> {
  clients: Clients;
  registry: Registry;
  kinds: Kinds;
  tracks: TurtleTracks;
  numbers: CallCounters;
  linkHistory: LinkHistory;
  alerts: Alerts;
}

/** Continues where an earlier process stopped, and keeps what happens from now on. Call it before anything links. */
export async function keepHistory(history: OpenedHistory, kept: Kept): Promise<void> {
  const { store } = history;
  keepJobChanges(history, kept);
  if (store === undefined) return;
  await kept.registry.restore();
  await keepCalls(store, kept.audit);
  keepLinks(store, kept.registry);
  keepPermissions(store, kept.permissions, kept.clients);
  keepRates(store, kept.rates);
  keepTracks(store, kept.tracks);
  keepNumbers(store, kept.numbers);
  keepLastLinks(store, kept.linkHistory);
  keepAlerts(store, kept.alerts);
}

/** Reads the history file, or memory where there is none, for one client. */
export function openReading(
  { store, clean }: OpenedHistory,
  parts: Pick<Kept, "registry" | "audit" | "tracks" | "kinds"> & {
    cluster: { readonly calls: CallsElsewhere; unseen(): string | undefined } | undefined;
  },
): (client: Client) => History {
  const { registry, audit, tracks, kinds, cluster } = parts;
  const linked = () =>
    [...registry.sessions()]
      .map(({ provider }) => provider)
      .filter(({ scope }) => scope === undefined);
  const source =
    store ?? memoryHistory(audit.trail, linked, cluster?.calls ?? new CallsElsewhere());
  const isKept = store !== undefined;
  const unseen = () => cluster?.unseen();
  return (client) => historyOf(client, { source, isKept, clean, kinds, tracks, unseen });
}
