import type { EventPage, EventsPort, EventsView } from "@ccbridge/registry";

/** A cursor of a cluster is a mark of six digits, which says whose log it is of, and a place of ten. */
const PLACES = 10 ** 10;
const [FIRST_MARK, LAST_MARK] = [100_000, 899_999];
/** Marks of earlier processes that are known. */
const MAX_EARLIER = 200;

export interface EventMarksOptions {
  /** The end of this bridge's log of a provider; undefined when there is none. */
  endOf(key: string): number | undefined;
  /** Marks of earlier processes, whose logs this one continues. */
  readonly earlier?: readonly number[] | undefined;
  /** Called with all marks of this bridge, for the next process. */
  changed?(marks: readonly number[]): void;
}

interface Stay {
  readonly mark: number;
  /** Where the log was when it began. */
  readonly from: number | undefined;
}

/**
 * Each bridge has its own log of a provider, so that a place alone would name other events after a move. A mark in
 * front of it names the log, and ends when the provider is linked to another bridge: then events are missing here.
 */
export class EventMarks {
  readonly #options: EventMarksOptions;
  readonly #stays = new Map<string, Stay>();
  readonly #own: Set<number>;
  /** Of the providers that have not been elsewhere since it began. */
  #usual: Stay;

  constructor(options: EventMarksOptions) {
    this.#options = options;
    this.#own = new Set(options.earlier?.slice(-MAX_EARLIER));
    this.#usual = { mark: this.#newMark(), from: undefined };
  }

  /** What is added to the places of a provider's log. */
  base(key: string): number {
    return (this.#stays.get(key) ?? this.#usual).mark * PLACES;
  }

  /** It is, or may have been, linked to another bridge: cursors from before are of an earlier stay. */
  moved(key: string): void {
    const from = this.#options.endOf(key);
    if (from !== undefined) this.#stays.set(key, { mark: this.#newMark(), from });
  }

  /** Of what happened elsewhere until now, nothing was heard: only those that stayed linked here have not moved. */
  missedMoves(linked: Iterable<string>): void {
    const stayed = new Map([...linked].map((key) => [key, this.#stays.get(key) ?? this.#usual]));
    this.#stays.clear();
    for (const [key, stay] of stayed) this.#stays.set(key, stay);
    this.#usual = { mark: this.#newMark(), from: undefined };
  }

  /** Where to read from in this bridge's log, and whether events may be missing or repeated there. */
  locate(key: string, cursor: number): { place: number | undefined; hasMoved: boolean } {
    const mark = Math.floor(cursor / PLACES);
    const place = cursor % PLACES;
    const stay = this.#stays.get(key) ?? this.#usual;
    if (mark === stay.mark) return { place, hasMoved: false };
    // Without a mark: from before the cluster, or simply the beginning.
    if (mark === 0) return { place, hasMoved: place > 0 };
    return { place: this.#own.has(mark) ? place : stay.from, hasMoved: true };
  }

  #newMark(): number {
    const { changed } = this.#options;
    let mark: number;
    do mark = FIRST_MARK + Math.floor(Math.random() * (LAST_MARK - FIRST_MARK + 1));
    while (this.#own.has(mark));
    this.#own.add(mark);
    changed?.([...this.#own].slice(-MAX_EARLIER));
    return mark;
  }
}

/** The events of this bridge's providers, with cursors that no other log is read by. */
export function markedEvents(
  events: EventsPort,
  marks: EventMarks,
  watchesChanged: (key?: string) => void,
): EventsPort {
  const markedView = (view: EventsView): EventsView => {
    const base = marks.base(view.key);
    return { ...view, first: base + view.first, end: base + view.end };
  };
  const markedPage = (key: string, page: EventPage, hasMoved: boolean): EventPage => {
    const base = marks.base(key);
    return {
      ...page,
      events: page.events.map((event) => ({ ...event, seq: base + event.seq })),
      next: base + page.next,
      ...(hasMoved ? { hasMoved } : {}),
    };
  };
  return {
    find: async (selector, client) => markedView(await events.find(selector, client)),
    async get(key, client) {
      const view = await events.get(key, client);
      return view && markedView(view);
    },
    async read(key, { cursor, ...options }) {
      if (cursor === undefined) return markedPage(key, await events.read(key, options), false);
      const { place, hasMoved } = marks.locate(key, cursor);
      return markedPage(key, await events.read(key, { ...options, cursor: place }), hasMoved);
    },
    async wait(key, { cursor, ...wait }) {
      const { place, hasMoved } = marks.locate(key, cursor);
      const from = place ?? (await events.get(key))?.first ?? 0;
      return markedPage(key, await events.wait(key, { ...wait, cursor: from }), hasMoved);
    },
    async watch(key, change, options) {
      try {
        return await events.watch(key, change, options);
      } finally {
        watchesChanged(key);
      }
    },
    release(client) {
      events.release(client);
      watchesChanged();
    },
  };
}
