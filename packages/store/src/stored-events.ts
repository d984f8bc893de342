import type { ClientWatches, EventStore, LoggedEvent, Provider } from "@ccbridge/registry";
import type { Row } from "./engine.js";
import type { StoreAccess } from "./store.js";

/**
 * After a crash the places of the next events begin this far on: cursors of events that were not saved must not
 * name later ones. More than can wait to be saved.
 */
const UNSAVED_PLACES = 100_000;

export function storedEvents(access: StoreAccess): EventStore {
  return {
    async load() {
      const rows = (await access.read<Row[]>("logs")) ?? [];
      return rows.flatMap(({ data, watches, first, last }) => {
        const provider = JSON.parse(String(data)) as Provider | null;
        const lists = JSON.parse(String(watches ?? "[]")) as ClientWatches;
        if (provider === null || (last === null && lists.length === 0)) return [];
        const end = last === null ? 0 : Number(last) + 1;
        const next = access.isUnclean && end > 0 ? end + UNSAVED_PLACES : end;
        return [{ provider, first: Number(first ?? end), end, next, watches: lists }];
      });
    },
    append(provider, { seq, time, name, args, dropped, truncated }) {
      access.introduce(provider);
      const { key } = provider;
      const json = JSON.stringify(access.clean(args));
      access.add({ table: "events", key, seq, time, name, args: json, dropped, truncated });
    },
    saveWatches(provider, lists) {
      access.introduce(provider);
      access.add({ table: "watches", key: provider.key, data: JSON.stringify(lists) });
    },
    async read(key, range) {
      const rows = (await access.read<Row[]>("events", key, range)) ?? [];
      return rows.map(toEvent);
    },
  };
}

function toEvent({ seq, time, name, args, dropped, truncated }: Row): LoggedEvent {
  return {
    seq: Number(seq),
    time: Number(time),
    name: String(name),
    args: JSON.parse(String(args)),
    dropped: Number(dropped),
    truncated: truncated === 1,
  };
}
