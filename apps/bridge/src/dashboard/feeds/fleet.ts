import type { TopicData } from "@ccbridge/protocol/dashboard";
import type { Feed } from "../sight/feed.js";
import type { Fleet } from "../sight/fleet.js";

/** The fleet as one viewer gets it: all of it first, then what changed. */
export function fleetFeed(fleet: Fleet, ready: () => void): Feed<TopicData<"fleet">> {
  let isFull = false;
  let changed = new Set<string>();
  const stop = fleet.watch((keys) => {
    for (const key of keys) changed.add(key);
    ready();
  });
  void fleet.ready().then(ready);
  return {
    async take() {
      await fleet.ready();
      const { rows } = fleet;
      if (!isFull) {
        isFull = true;
        changed = new Set();
        return { full: true, rows: [...rows.values()], gone: [] };
      }
      if (changed.size === 0) return undefined;
      const keys = [...changed];
      changed = new Set();
      return {
        full: false,
        rows: keys.flatMap((key) => rows.get(key) ?? []),
        gone: keys.filter((key) => !rows.has(key)),
      };
    },
    close: stop,
  };
}
