import { BoundedMap } from "../../bounded-map.js";

export interface EventCount {
  readonly instance: string | undefined;
  next: number | undefined;
}

const MAX_REMEMBERED = 256;

export class EventCounts {
  readonly #counts = new BoundedMap<string, EventCount>(MAX_REMEMBERED);

  /** The count of a server that links: the old one, if it is still the same run. */
  begin(key: string, instance: string | undefined, first: number | undefined): EventCount {
    const known = this.#counts.get(key);
    const isSame = known !== undefined && instance !== undefined && known.instance === instance;
    const count = isSame ? known : { instance, next: first };
    this.#counts.set(key, count);
    return count;
  }
}

/** Takes the number of an event: undefined when it came before, else how many are missing ahead of it. */
export function takeNumber(count: EventCount, seq: number | undefined): number | undefined {
  if (seq === undefined) return 0;
  const expected = count.next ?? seq;
  if (seq < expected) return undefined;
  count.next = seq + 1;
  return seq - expected;
}
