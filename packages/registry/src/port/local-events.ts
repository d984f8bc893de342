import type { EventWatch } from "@ccbridge/protocol";
import type { Sees } from "../dialect.js";
import { isMissing } from "../errors.js";
import type { LoggedEvent } from "../events/event-log.js";
import { matchesWatch } from "../events/event-match.js";
import type { ProviderEvents } from "../events/events.js";
import { changeWatches } from "../events/watch-list.js";
import type { Registry } from "../registry.js";
import { dialectOf, linkedSession } from "./linked.js";
import type { EventsPort, EventsView, ProviderSelector } from "./port.js";

/** The events of the providers that somebody sees. */
export function localEvents(registry: Registry, sees: Sees): EventsPort {
  const { events } = registry;
  const get = (key: string): ProviderEvents | undefined => {
    const session = registry.session(key);
    const found = session === undefined ? events.get(key) : events.of(session);
    return found !== undefined && sees(found.provider) ? found : undefined;
  };
  const byKey = (key: string) => get(key) ?? events.of(linkedSession(registry, key, sees));
  return {
    async get(key) {
      const found = get(key);
      return found === undefined ? undefined : viewOf(found);
    },
    find: async (selector) => viewOf(findEvents(registry, selector, sees)),
    async read(key, { cursor, limit, watch }) {
      const matches = watch === undefined ? {} : { matches: matcherOf(watch) };
      return byKey(key).log.read({ cursor, limit, ...matches });
    },
    wait: async (key, { watch, ...wait }) =>
      byKey(key).log.wait({ ...wait, matches: matcherOf(watch) }),
    async watch(key, { mode, watches: named }, options) {
      const session = linkedSession(registry, key, sees);
      const provider = events.of(session);
      const before = provider.watches;
      const watches = changeWatches(before, named, mode);
      provider.watches = watches;
      let accepted = false;
      try {
        const answer = await session.watchEvents(watches, options);
        accepted = answer.ok;
        return answer;
      } finally {
        if (!accepted && provider.watches === watches) provider.watches = before;
      }
    },
  };
}

/** Whether one of some watches asks for an event. */
function matcherOf(watch: EventWatch | readonly EventWatch[]): (event: LoggedEvent) => boolean {
  const watches = [watch].flat();
  return (event) => watches.some((one) => matchesWatch(one, event));
}

function viewOf({ provider, linked, watches, log }: ProviderEvents): EventsView {
  return { key: provider.key, identity: provider, linked, watches, first: log.first, end: log.end };
}

function findEvents(
  registry: Registry,
  { kind, ref }: ProviderSelector,
  sees: Sees,
): ProviderEvents {
  const { events } = registry;
  const dialect = dialectOf(registry, kind);
  try {
    return events.of(dialect.find(ref, sees));
  } catch (error) {
    if (!isMissing(error)) throw error;
    // The one that went last is the one that is meant.
    const gone = events
      .list()
      .findLast(
        ({ provider, linked }) => !linked && dialect.matches(ref, provider) && sees(provider),
      );
    if (gone === undefined) throw error;
    return gone;
  }
}
