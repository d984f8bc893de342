import { computerAddress, computerRef, type EventsPort, type EventsView } from "@ccbridge/registry";
import type { Resource } from "../../../core/resource.js";
import { toJson } from "../../../format/set-apart.js";
import { completeComputer, computerFacts, findAddressed, mapNotFound } from "../computer.js";
import { eventPage, type ShownPage } from "../events/show-event.js";
import { entryPerComputer } from "./computers.js";

const MAX_SHOWN = 100;

export const eventsResource: Resource = {
  name: "computer-events",
  title: "A computer's events",
  description:
    "The newest watched events of a ComputerCraft computer (see watch-events), oldest first, as JSON. " +
    "Subscribe to hear about new ones; continue from the cursor with get-events.",
  mimeType: "application/json",
  shownBy: "get-events",
  template: "cc://computers/{id}/events",
  list: ({ providers }) =>
    entryPerComputer(
      providers,
      (name) => ({
        name: `events of ${name}`,
        title: `Events of ${name}`,
        description: "Its newest watched events.",
      }),
      (ref) => `cc://computers/${ref}/events`,
    ),
  complete: { id: completeComputer },
  findTargets: findAddressed,
  async read({ id = "" }, { providers: { events } }) {
    const view = await events.find(computerRef(id)).catch(mapNotFound);
    const { linked, watches } = view;
    const { reports, next, dropped } = await newest(events, view);
    const { computerId, label } = computerFacts(view);
    const facts = { computerId, label, linked, watches, events: reports, cursor: next, dropped };
    return { text: toJson(facts, 2) };
  },
  changedBy: ({ id = "" }) => ({ topics: ["events"], key: computerAddress(id) }),
};

async function newest(events: EventsPort, { key, first, end }: EventsView): Promise<ShownPage> {
  for (let count = MAX_SHOWN; ; count = Math.floor(count / 2)) {
    const cursor = Math.max(first, end - count);
    const page = await eventPage((limit) => events.read(key, { cursor, limit }), count);
    if (page.next >= end || count <= 1) return page;
  }
}
