import type { Cluster, Operations } from "@ccbridge/cluster";
import { BoundedMap } from "@ccbridge/registry";
import type { Alerts } from "../alerts/alerts.js";
import type { SharedAlerts } from "../alerts/open-alert.js";
import { SharedList } from "./shared-lists.js";

const quick = { timeoutMs: 5_000 };
const MAX_REMOVED = 256;

export function alertOperations(alerts: Alerts): Operations {
  return { "alerts.remove": ({ id }: { id: string }) => alerts.remove(id) !== undefined };
}

/** Each bridge watches for the alerts that were created on it, on the providers of all. Any bridge shows and ends them. */
export function shareAlerts(cluster: Cluster, alerts: Alerts): () => void {
  const removed = new BoundedMap<string, true>(MAX_REMOVED);
  const list = new SharedList<SharedAlerts>(
    cluster,
    "alerts",
    () => alerts.shared,
    () => alerts.notify(),
  );
  alerts.elsewhere = {
    all: () =>
      [...list.others().values()].map(({ alerts: open, fired }) => ({
        alerts: open.filter(({ alert }) => removed.get(alert.id) === undefined),
        fired,
      })),
    remove(id) {
      removed.set(id, true);
      for (const [bridge, { alerts: open }] of list.others()) {
        if (!open.some(({ alert }) => alert.id === id)) continue;
        cluster.call(bridge, "alerts.remove", { id }, quick).catch(() => removed.delete(id));
      }
    },
    changed: () => list.changed(),
  };
  return () => {
    alerts.elsewhere = undefined;
    list.close();
  };
}
