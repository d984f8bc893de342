import { type Hello, isEventType } from "@ccbridge/protocol/minecraft";
import { BoundedMap } from "../../budget.js";
import type { ServerProvider } from "./provider.js";

const MAX_REMEMBERED = 256;

/** What came of a server, over all of its links and runs. */
interface EventTotals {
  /** By type; those of mods and plugins, whose names are unbounded, are "custom". */
  readonly received: Map<string, number>;
  lost: number;
}

export interface EventCount {
  readonly server: ServerProvider;
  readonly instance: string | undefined;
  /** The number of the next event. */
  next: number | undefined;
  /** How many events the run had numbered when it said hello: those that did not come wait in its queue. */
  readonly announced: number;
  readonly totals: EventTotals;
}

export function queuedEvents({ announced, next = 0 }: EventCount): number {
  return Math.max(0, announced - next);
}

export class EventCounts {
  readonly #counts = new BoundedMap<string, EventCount>(MAX_REMEMBERED);

  get all(): readonly EventCount[] {
    return [...this.#counts.values()];
  }

  /** The count of a server that links: the old one, if it is still the same run. */
  begin(
    server: ServerProvider,
    {
      instance,
      nextEvent,
      eventCount = 0,
    }: Pick<Hello, "instance" | "nextEvent" | "eventCount"> = {},
  ): EventCount {
    const known = this.#counts.get(server.key);
    const isSame = known !== undefined && instance !== undefined && known.instance === instance;
    const count = {
      server,
      instance,
      next: isSame ? known.next : nextEvent,
      announced: eventCount,
      totals: known?.totals ?? { received: new Map(), lost: 0 },
    };
    this.#counts.set(server.key, count);
    return count;
  }
}

/** Takes an event: undefined when it came before, else how many are missing ahead of it. */
export function takeEvent(
  count: EventCount,
  { seq, eventType }: { readonly seq?: number | undefined; readonly eventType: string },
): number | undefined {
  const missing = seq === undefined ? 0 : seq - (count.next ?? seq);
  if (missing < 0) return undefined;
  if (seq !== undefined) count.next = seq + 1;
  const { received } = count.totals;
  const type = isEventType(eventType) ? eventType : "custom";
  received.set(type, (received.get(type) ?? 0) + 1);
  count.totals.lost += missing;
  return missing;
}
