import { fileHash } from "@ccbridge/protocol";
import type { Provider } from "../../provider.js";
import { inline } from "../../set-apart.js";

export const PAGE = "page";

/** A web page, as far as it is known: pages do not introduce themselves. */
export interface PageProvider extends Provider {
  readonly kind: typeof PAGE;
  /** The id of its session, which is a secret; undefined for the common one. */
  readonly session: string | undefined;
  readonly site: string | undefined;
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
}

/**
 * Who a page is. The same site may be open several times in one session: each has a place, counted from 1,
 * and a page that is loaded again finds its place free. The key shows nothing of the session's id.
 */
export function identifyPage({ session, site }: PageOpening, place: number): PageProvider {
  const room = session === undefined ? "" : fileHash(new TextEncoder().encode(session));
  const from = site === undefined ? "(a program)" : inline(site, 200);
  return {
    kind: PAGE,
    key: `page ${room} ${place} ${site ?? ""}`,
    name: place === 1 ? `page ${from}` : `page ${from} (${place})`,
    methods: ["call-tool"],
    features: [],
    scope: scopeOf(session),
    session,
    site,
  };
}
