import type { EventLog, ProviderEvents } from "@ccbridge/registry";
import { eventPage, type ShownPage } from "../format/event.js";
import { completeComputer, computerByRef, isMeant } from "./computer-ref.js";
import { entryPerComputer } from "./computers.js";
import { type LookContext, type Resource, ResourceNotFound } from "./define-resource.js";

/** Events that the resource shows at most. */
const MAX_SHOWN = 100;

export const eventsResource: Resource = {
  name: "computer-events",
  title: "Events of a computer",
  description:
    "The newest events of one ComputerCraft computer that the tool watch-events asked for, oldest " +
    "first, as JSON. Subscribe to hear when there are more; read on from the cursor with get-events.",
  mimeType: "application/json",
  template: "cc://computers/{id}/events",
  list: ({ registry }) =>
    entryPerComputer(
      registry.computers(),
      (name) => ({
        name: `events of ${name}`,
        title: `Events of ${name}`,
        description: "Its newest watched events.",
      }),
      (ref) => `cc://computers/${ref}/events`,
    ),
  complete: { id: completeComputer },
  async read({ id = "" }, context) {
    const { identity, log, linked, watches } = find(id, context);
    const { reports, next, dropped } = newest(log);
    const { computerId, label } = identity;
    const facts = { computerId, label, linked, watches, events: reports, cursor: next, dropped };
    return { text: JSON.stringify(facts, null, 2) };
  },
  touchedBy: ({ topic, identity }, { id = "" }) => topic === "events" && isMeant(id, identity),
};

/** As many of the newest as fit, and never others instead of them. */
function newest(log: EventLog): ShownPage {
  for (let count = MAX_SHOWN; ; count = Math.floor(count / 2)) {
    const cursor = Math.max(log.first, log.end - count);
    const page = eventPage(log, { cursor, limit: count });
    if (page.next === log.end || count <= 1) return page;
  }
}

/** Those of a linked computer, or of one that is gone. */
function find(id: string, { registry }: LookContext): ProviderEvents {
  try {
    return registry.events.of(computerByRef(registry, id));
  } catch (error) {
    if (!(error instanceof ResourceNotFound)) throw error;
    const gone = registry.events
      .list()
      .findLast(({ identity, linked }) => !linked && isMeant(id, identity));
    if (gone === undefined) throw error;
    return gone;
  }
}
