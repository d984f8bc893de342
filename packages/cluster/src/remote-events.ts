import {
  type EventPage,
  type EventsPort,
  type EventsView,
  LinkError,
  LinkErrorCode,
} from "@ccbridge/registry";
import { type Ask, type Asking, eachBridge, LIST_MS, NOWHERE, quick } from "./ask-bridges.js";
import { CallError } from "./caller.js";
import type { Listed } from "./directory.js";

/** The events of the providers that are linked to other bridges. */
export function remoteEvents(
  options: Asking,
  ask: Ask,
  linked: (key: string) => Listed,
): EventsPort {
  const { directory } = options;
  /** What a bridge has of a provider that was linked to it last, and is linked nowhere now. */
  const leftBehind = async (key: string, client?: string) => {
    const views = await eachBridge(
      options,
      "events.get",
      { key, client },
      LIST_MS,
      (bridge, view) =>
        view === undefined || view === null ? undefined : { bridge, view: view as EventsView },
    );
    return views[0];
  };
  const isFound = (error: unknown) =>
    error instanceof LinkError && error.code === LinkErrorCode.notLinked;
  return {
    async find(selector, client) {
      // With what it has of one that left, if no bridge has it now.
      const found: EventsView[] = [];
      for (const bridge of directory.others()) {
        const view = await options
          .call(bridge, "events.find", { selector, client }, quick)
          .catch((error) => {
            if (error instanceof CallError || isFound(error)) return undefined;
            if (error instanceof LinkError && error.code === LinkErrorCode.away) return undefined;
            throw error;
          });
        if (view !== undefined) found.push(view as EventsView);
      }
      const best = found.find((view) => view.linked) ?? found[0];
      if (best !== undefined) return best;
      throw new LinkError(LinkErrorCode.notLinked, NOWHERE);
    },
    async get(key, client) {
      const entry = directory.get(key);
      return entry === undefined
        ? (await leftBehind(key, client))?.view
        : ask(entry, "events.get", { client }, quick);
    },
    async read(key, reading) {
      const entry = directory.get(key);
      if (entry !== undefined) return ask(entry, "events.read", { options: reading }, quick);
      const { bridge } = (await leftBehind(key)) ?? {};
      if (bridge === undefined) throw new LinkError(LinkErrorCode.notLinked, NOWHERE);
      const args = { key, options: reading };
      return (await options.call(bridge, "events.read", args, quick)) as EventPage;
    },
    wait: async (key, { signal, ...wait }) =>
      ask(linked(key), "events.wait", { wait }, { timeoutMs: wait.timeoutMs, signal }),
    async watch(key, change, { signal, ...sent }) {
      const patience = { timeoutMs: sent.timeoutMs, signal };
      return ask(linked(key), "events.watch", { change, options: sent }, patience);
    },
    release: (client) => void eachBridge(options, "events.release", { client }, quick.timeoutMs),
  };
}
