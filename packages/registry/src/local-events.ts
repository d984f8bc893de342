import type { EventWatch } from "@ccbridge/protocol";
import { isMissing } from "./errors.js";
import { type LoggedEvent, matchesWatch } from "./events/event-log.js";
import type { ProviderEvents } from "./events/events.js";
import { changeWatches } from "./events/watch-list.js";
import { candidatesOf, checkOpen, dialectOf, linkedSession } from "./linked.js";
import type { EventsPort, EventsView, ProviderSelector } from "./port.js";
import type { Answer } from "./provider.js";
import type { Registry } from "./registry.js";
import type { RequestOptions } from "./requests.js";
import type { ProviderSession } from "./session.js";

const RELEASE_TIMEOUT_MS = 20_000;

const UNNAMED = "";

export function localEvents(registry: Registry): EventsPort {
  const { events } = registry;
  const get = (key: string): ProviderEvents | undefined => {
    const session = registry.session(key);
    return session === undefined ? events.get(key) : events.of(session);
  };
  const byKey = (key: string) => get(key) ?? events.of(linkedSession(registry, key));
  return {
    async get(key, client) {
      const found = get(key);
      return found === undefined ? undefined : viewOf(found, client);
    },
    find: async (selector, client) => viewOf(findEvents(registry, selector), client),
    async read(key, { watch, ...options }) {
      const matches = watch === undefined ? {} : { matches: matcherOf(watch) };
      return byKey(key).read({ ...options, ...matches });
    },
    async wait(key, { watch, ...wait }) {
      const page = await byKey(key).wait({ ...wait, matches: matcherOf(watch) });
      // Cut short: that no event came in time would not be true.
      if (page.events.length === 0) checkOpen(registry);
      return page;
    },
    async watch(key, { mode, watches: named, client = UNNAMED }, options) {
      const session = linkedSession(registry, key);
      const { watches } = events.of(session);
      const before = watches.of(client);
      const mine = changeWatches(before, named, mode);
      watches.check(client, mine);
      watches.set(client, mine);
      const set = watches.of(client);
      let accepted = false;
      try {
        const answer = await watchEvents(registry, session, watches.all, options);
        accepted = answer.ok;
        return answer;
      } finally {
        if (!accepted && watches.of(client) === set) watches.set(client, before);
      }
    },
    release(client = UNNAMED) {
      for (const { provider, watches } of events.list()) {
        if (watches.of(client).length === 0) continue;
        const { length } = watches.all;
        watches.set(client, []);
        const session = registry.session(provider.key);
        if (session === undefined || watches.all.length === length) continue;
        // What it sends too much until its next link does no harm.
        watchEvents(registry, session, watches.all, { timeoutMs: RELEASE_TIMEOUT_MS }).catch(
          () => {},
        );
      }
    },
  };
}

async function watchEvents(
  registry: Registry,
  session: ProviderSession,
  watches: readonly EventWatch[],
  options: RequestOptions,
): Promise<Answer> {
  const dialect = registry.dialect(session.provider.kind);
  return (
    (await dialect?.watchEvents?.(session, watches, options)) ?? {
      ok: false,
      error: `${session.name} cannot be asked for events`,
    }
  );
}

function matcherOf(watch: EventWatch | readonly EventWatch[]): (event: LoggedEvent) => boolean {
  const watches = [watch].flat();
  return (event) => watches.some((one) => matchesWatch(one, event));
}

function viewOf(events: ProviderEvents, client = UNNAMED): EventsView {
  const { provider, linked, watches, first, log } = events;
  return {
    key: provider.key,
    provider,
    linked,
    watches: watches.of(client),
    othersWatch: watches.besides(client),
    first,
    end: log.end,
  };
}

function findEvents(registry: Registry, selector: ProviderSelector): ProviderEvents {
  const { events } = registry;
  const { kind, ref } = selector;
  const counts = candidatesOf(selector);
  const dialect = dialectOf(registry, kind);
  try {
    return events.of(dialect.find(ref, counts));
  } catch (error) {
    if (!isMissing(error)) throw error;
    // The one that left last is chosen.
    const gone = events
      .list()
      .findLast(
        ({ provider, linked }) => !linked && dialect.matches(ref, provider) && counts(provider),
      );
    if (gone === undefined) throw error;
    return gone;
  }
}
