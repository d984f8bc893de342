import { fileHash } from "@ccbridge/protocol";
import type { Provider } from "../../provider.js";
import { inline, printable, quoted } from "../../text.js";

export const PAGE = "page";

/** A web page, as far as it is known: pages do not introduce themselves. */
export interface PageProvider extends Provider {
  readonly kind: typeof PAGE;
  /** The id of its session, which is a secret; undefined for the common one. */
  readonly session: string | undefined;
  readonly site: string | undefined;
  /** What people call it: its own name for itself, or the title of the document. */
  readonly label?: string;
  /** The tab that it is in, if it says so: a page of the same tab takes its place. */
  readonly tab: string | undefined;
  /** Since when its key stands for this tab, or for this connection of a page that does not say its tab. */
  readonly since: number;
}

/** Which clients see the pages of a session: those that name it; for the common one, those that name none. */
export function scopeOf(session: string | undefined): string {
  return session ?? "";
}

export function isPage(provider: Provider): provider is PageProvider {
  return provider.kind === PAGE;
}

export interface PageOpening {
  readonly session: string | undefined;
  readonly site: string | undefined;
  readonly name?: string | undefined;
  readonly tab?: string | undefined;
}

/**
 * Who a page is. The same site may be open several times in one session: each has a place, counted from 1,
 * and a page that is loaded again finds its place free. The key shows nothing of the session's id.
 */
export function identifyPage(opening: PageOpening, place: number, since: number): PageProvider {
  const { session, site, name, tab } = opening;
  const room = session === undefined ? "" : fileHash(new TextEncoder().encode(session));
  const title = name === undefined ? "" : printable(name).trim();
  const called = title === "" ? "" : quoted(title, 80);
  const from = site === undefined ? "(a program)" : inline(site, 200);
  return {
    kind: PAGE,
    key: `page ${room} ${place} ${site ?? ""}`,
    name: ["page", called, from, place === 1 ? "" : `(${place})`]
      .filter((word) => word !== "")
      .join(" "),
    methods: ["call-tool"],
    features: [],
    scope: scopeOf(session),
    ...(title === "" ? {} : { label: title.slice(0, 80) }),
    ...{ session, site, tab, since },
  };
}
