import type { TopicData } from "@ccbridge/protocol/dashboard";
import type { KeptFleet } from "./kept-fleet.js";
import type { Watch } from "./watch.js";

export function watchFleet(fleet: KeptFleet, ready: () => void): Watch<TopicData<"fleet">> {
  let isFull = false;
  let changed = new Set<string>();
  const stop = fleet.watch((keys) => {
    for (const key of keys) changed.add(key);
    ready();
  });
  return {
    async poll() {
      const rows = await fleet.rows();
      const keys = [...changed];
      changed = new Set();
      if (!isFull) {
        isFull = true;
        return { full: true, rows: [...rows.values()], gone: [] };
      }
      if (keys.length === 0) return undefined;
      return {
        full: false,
        rows: keys.flatMap((key) => rows.get(key) ?? []),
        gone: keys.filter((key) => !rows.has(key)),
      };
    },
    close: stop,
  };
}
