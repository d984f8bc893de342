import type { GrantedPermission } from "@ccbridge/mcp-tools";
import type { Store } from "@ccbridge/store";
import type { Alerts } from "../alerts/alerts.js";
import type { KeptAlerts } from "../alerts/open-alert.js";
import type { Clients } from "../auth/clients.js";
import { anyone } from "../auth/rights/client.js";
import type { MeterState } from "../auth/rights/rate-limit.js";
import type { Permissions } from "../calls/permissions.js";
import type { Rates } from "../calls/rates.js";
import type { LastLinks, LinkHistory } from "../monitor/health.js";
import type { CallCounters, Sample } from "../monitor/metrics/counters.js";
import type { Track, TurtleTracks } from "../monitor/tracks.js";

const SAVE_MS = 1_000;
const SAVE_NUMBERS_MS = 30_000;

interface Granted {
  readonly client: string;
  readonly fingerprint: string;
  readonly permissions: readonly GrantedPermission[];
}

/** Permissions hold over a restart for a client with the same token and rights. */
export function keepPermissions(store: Store, permissions: Permissions, clients: Clients): void {
  const all = () => [anyone, ...clients.list()];
  const saved = (store.state("permissions") ?? []) as readonly Granted[];
  for (const client of all()) {
    const fingerprint = clients.fingerprint(client);
    const found = saved.find((each) => each.client === client.name);
    if (found?.fingerprint === fingerprint) permissions.restore(client, found.permissions);
  }
  permissions.subscribe(() => {
    const granted = all().map((client): Granted => {
      const fingerprint = clients.fingerprint(client);
      return { client: client.name, fingerprint, permissions: permissions.of(client) };
    });
    // At once: a permission that was revoked must not come back after a crash.
    store.saveState(
      "permissions",
      granted.filter((each) => each.permissions.length > 0),
      true,
    );
  });
}

/** What clients have used up of their rates and quotas stays used up. */
export function keepRates(store: Store, rates: Rates): void {
  rates.kept = {
    load: (name) => store.state(`rate ${name}`) as readonly MeterState[] | undefined,
    save: (name, states) => store.saveState(`rate ${name}`, states),
  };
}

/** Trails are long, so each is saved at most once a second; a crash loses the last steps. */
export function keepTracks(store: Store, tracks: TurtleTracks): void {
  for (const [key, track] of store.states("track ")) tracks.restore(key, track as Track);
  const changed = new Map<string, Track>();
  const save = () => {
    for (const [key, track] of changed) store.saveState(`track ${key}`, track, true);
    changed.clear();
  };
  store.onClose(save);
  tracks.onChange = (key, track) => {
    if (changed.size === 0) setTimeout(save, SAVE_MS).unref();
    changed.set(key, track);
  };
}

/** At once when one was made, delivered or removed; how far each has read, with the next batch. */
export function keepAlerts(store: Store, alerts: Alerts): void {
  alerts.restore((store.state("alerts") ?? { alerts: [], fired: [] }) as KeptAlerts);
  let isWaiting = false;
  const save = () => {
    isWaiting = false;
    store.saveState("alerts", alerts.kept);
  };
  store.onClose(save);
  alerts.onChange = async (isUrgent) => {
    if (isUrgent) {
      isWaiting = false;
      return store.keepState("alerts", alerts.kept);
    }
    if (!isWaiting) setTimeout(() => isWaiting && save(), SAVE_MS).unref();
    isWaiting = true;
  };
}

/** When something was linked or refused last. */
export function keepLastLinks(store: Store, links: LinkHistory): void {
  links.restore((store.state("last links") ?? {}) as LastLinks);
  links.onChange = (last) => store.saveState("last links", last);
}

export function keepNumbers(store: Store, numbers: CallCounters): void {
  numbers.restore((store.state("numbers") ?? []) as readonly Sample[]);
  let savedAt = 0;
  store.onClose(() => store.saveState("numbers", numbers.samples));
  numbers.subscribe(() => {
    if (performance.now() - savedAt < SAVE_NUMBERS_MS) return;
    savedAt = performance.now();
    store.saveState("numbers", numbers.samples);
  });
}
