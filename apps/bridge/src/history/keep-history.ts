import type { Registry } from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import type { Calls } from "../calls/open-calls.js";
import type { TurtleTracks } from "../dashboard/context/services.js";
import type { Numbers } from "../monitor/metrics/counters.js";
import { keepCalls, keepLinks } from "./keep-calls.js";
import { keepNumbers, keepPermissions, keepRates, keepTracks } from "./keep-states.js";
import type { History } from "./open-history.js";

export interface Kept extends Pick<Calls, "audit" | "permissions" | "rates"> {
  clients: Clients;
  registry: Registry;
  tracks: TurtleTracks;
  numbers: Numbers;
}

/** Continues where an earlier process stopped, and keeps what happens from now on. Call it before anything links. */
export async function keepHistory({ store }: History, kept: Kept): Promise<void> {
  if (store === undefined) return;
  await kept.registry.restore();
  await keepCalls(store, kept.audit);
  keepLinks(store, kept.registry);
  keepPermissions(store, kept.permissions, kept.clients);
  keepRates(store, kept.rates);
  keepTracks(store, kept.tracks);
  keepNumbers(store, kept.numbers);
}
