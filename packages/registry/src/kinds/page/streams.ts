import type { Channel, Origin } from "../../session.js";
import type { PageLink } from "./link.js";
import type { Pages } from "./pages.js";
import type { PageOpening } from "./provider.js";

// Several streams of one page that count as one connection. A common client leaves a broken stream behind
// that opens again by itself: a request that were written to both would run twice, so only the newest gets
// it, and the page is gone when the last one is.
class StreamGroup implements Channel {
  readonly #streams = new Set<Channel>();

  get bufferedBytes(): number {
    return this.#newest?.bufferedBytes ?? 0;
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: Channel): void {
    this.#streams.add(stream);
  }

  remove(stream: Channel): void {
    this.#streams.delete(stream);
  }

  send(text: string): void {
    this.#newest?.send(text);
  }

  close(code: number, reason: string): void {
    for (const stream of this.#streams) stream.close(code, reason);
  }

  get #newest(): Channel | undefined {
    return [...this.#streams].at(-1);
  }
}

const MAX_STREAMS = 8;

/** Pages that listen on a stream of events and post their messages: one for each session and site. */
export class PageStreams {
  readonly #pages: Pages;
  readonly #open = new Map<string, { link: PageLink; group: StreamGroup }>();

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  /** Takes a new stream. Returns what to call when it ends, or undefined when the page has too many. */
  open(stream: Channel, origin: Origin, opening: PageOpening): (() => void) | undefined {
    const key = keyOf(opening);
    const known = this.#find(opening);
    if (known !== undefined && known.group.size >= MAX_STREAMS) return undefined;
    const group = known?.group ?? new StreamGroup();
    group.add(stream);
    const page = known ?? { group, link: this.#pages.attach(group, origin, opening) };
    if (page.link.open) this.#open.set(key, page);
    return () => {
      group.remove(stream);
      if (!group.isEmpty) return;
      if (this.#open.get(key) === page) this.#open.delete(key);
      page.link.closed("its stream ended");
    };
  }

  receive(text: string, opening: PageOpening): boolean {
    const link = this.#find(opening)?.link;
    link?.receive(text);
    return link !== undefined;
  }

  /** The page, unless its link was closed from this side. */
  #find(opening: PageOpening) {
    const page = this.#open.get(keyOf(opening));
    return page?.link.open === true ? page : undefined;
  }
}

function keyOf({ session, site }: PageOpening): string {
  return JSON.stringify([session ?? null, site ?? null]);
}
