import { type CapabilityAnswer, PageCloseCode } from "@ccbridge/protocol/btcp";
import { BoundedMap } from "../../budget.js";
import type { Candidate, Dialect, ProviderRef, Sees } from "../../dialect.js";
import { LinkError, LinkErrorCode } from "../../errors.js";
import type { Provider } from "../../provider.js";
import type { Registry } from "../../registry.js";
import type { Channel, Origin } from "../../session.js";
import { PageLink } from "./link.js";
import { identifyPage, isPage, PAGE, type PageOpening, type PageProvider } from "./provider.js";
import { type CapabilityRequest, PageSessions } from "./sessions.js";

/** Bounds and times of pages. All have defaults, see {@link pagesDefaults}. */
export interface PagesLimits {
  /** Pages at once. @default 256 */
  maxPages: number;
  /** Pages of one session at once. @default 64 */
  maxSessionPages: number;
  /** Sessions that have pages, or had some a while ago. @default 256 */
  maxSessions: number;
  /** The longest answer of a tool, in bytes. @default 4194304 */
  maxResultBytes: number;
  /** How long a session without pages is remembered. @default 300000 */
  sessionIdleMs: number;
  /** How long a person's grants last when the session is not used. @default 3600000 */
  sessionTtlMs: number;
}

export const pagesDefaults: Readonly<PagesLimits> = Object.freeze({
  maxPages: 256,
  maxSessionPages: 64,
  maxSessions: 256,
  maxResultBytes: 4 * 1_024 * 1_024,
  sessionIdleMs: 300_000,
  sessionTtlMs: 3_600_000,
});

export interface PagesOptions extends Partial<PagesLimits> {
  grants?(session: string | undefined, site: string | undefined): Iterable<string>;
}

const MAX_REMEMBERED = 4_096;

/** What waits for a person's yes, and the names of the pages for which it would hold. */
export interface PageRequest extends CapabilityRequest {
  readonly sites: readonly string[];
}

/** The other bridges of a cluster, where pages of the same sessions may be linked. */
export interface PagesElsewhere {
  pages(session: string | undefined): readonly PageProvider[];
  /** What a person has granted a session. */
  granted(session: string | undefined): readonly string[];
  requests(): readonly PageRequest[];
  /** What waits here is different now. */
  changed(): void;
  decided(session: string | undefined, capabilities: readonly string[], isGranted: boolean): void;
}

/** The web pages: makes a session of the registry of each connection that speaks BTCP. */
export class Pages implements Dialect {
  readonly kind = PAGE;
  readonly registry: Registry;
  readonly limits: Readonly<PagesLimits>;
  readonly sessions: PageSessions;
  elsewhere: PagesElsewhere | undefined;
  readonly #links = new Set<PageLink>();
  readonly #deskListeners = new Set<() => void>();
  readonly #lastByKey = new BoundedMap<string, PageProvider>(MAX_REMEMBERED);

  constructor(registry: Registry, options: PagesOptions = {}) {
    this.registry = registry;
    this.limits = Object.freeze({ ...pagesDefaults, ...options });
    this.sessions = new PageSessions({
      grants: (session, site) => options.grants?.(session, site) ?? [],
      granted: (session) => this.elsewhere?.granted(session) ?? [],
      idleMs: this.limits.sessionIdleMs,
      ttlMs: this.limits.sessionTtlMs,
      maxSessions: this.limits.maxSessions,
      onGrants: (session) => this.#offerAgain(session),
      onAsked: () => this.#asked(),
    });
    registry.add(this);
  }

  close(reason: string): void {
    for (const link of [...this.#links]) link.close(LinkErrorCode.shuttingDown, reason);
  }

  list(): readonly PageLink[] {
    return [...this.registry.sessions()]
      .filter((session) => session instanceof PageLink)
      .sort((a, b) => (a.provider.key < b.provider.key ? -1 : 1));
  }

  /** Finds a page by its name without the first word: its site, and its place there. */
  find(ref: ProviderRef | undefined, sees: Sees = () => true): PageLink {
    return this.select(
      ref,
      this.list().filter(({ provider }) => sees(provider)),
    );
  }

  select<T extends Candidate>(ref: ProviderRef | undefined, visible: readonly T[]): T {
    const [found, second] = visible.filter(({ provider }) => this.matches(ref, provider));
    if (found !== undefined && second === undefined) return found;
    const names = visible.slice(0, 20).map(({ provider }) => provider.name);
    const linked = names.length === 0 ? "No page is linked." : `Linked: ${names.join(", ")}.`;
    const code = found === undefined ? LinkErrorCode.notLinked : LinkErrorCode.ambiguous;
    throw new LinkError(code, linked, { candidates: visible.map(({ provider }) => provider) });
  }

  matches(ref: ProviderRef | undefined, provider: Provider): boolean {
    return isPage(provider) && (ref === undefined || provider.name === `${PAGE} ${ref}`);
  }

  /** Shows a page something in its console; nothing happens when it is gone. */
  notify(key: string, message: string): void {
    const link = this.registry.session(key);
    if (link instanceof PageLink) link.notify(message);
  }

  get connections(): number {
    return this.#links.size;
  }

  attach(channel: Channel, origin: Origin, opening: PageOpening): PageLink {
    const link = new PageLink(this, channel, origin, opening);
    this.#links.add(link);
    if (!this.registry.takesLinks)
      link.refuse(PageCloseCode.goingAway, "This bridge is shutting down.");
    else if (this.#links.size > this.limits.maxPages) {
      link.refuse(
        PageCloseCode.tooManyPages,
        `This bridge has ${this.limits.maxPages} pages, which is its limit: close some, or raise CC_PAGES_MAX.`,
      );
    } else link.start();
    return link;
  }

  detach(link: PageLink): void {
    this.#links.delete(link);
    // What it was asked for no longer has a page.
    if (this.sessions.asked().length > 0) this.#asked();
    if (link.identified) this.sessions.leave(link.provider.session);
    this.sessions.sweep();
  }

  place(opening: PageOpening): PageProvider | string {
    const { session } = opening;
    const { maxSessionPages, maxSessions } = this.limits;
    if (!this.sessions.hasRoom(session)) {
      return `This bridge has ${maxSessions} sessions of pages, which is its limit.`;
    }
    if (this.sessions.pagesOf(session) >= maxSessionPages && this.#ofTab(opening) === undefined) {
      return `This session has ${maxSessionPages} pages, which is its limit: close some, or raise CC_PAGES_SESSION_MAX.`;
    }
    const sameTab = this.#ofTab(opening);
    for (let place = 1; ; place++) {
      const provider = identifyPage(opening, place, Date.now());
      const taken = this.registry.session(provider.key);
      if (sameTab !== undefined ? taken !== sameTab : taken !== undefined) continue;
      if (sameTab === undefined && this.#isTakenElsewhere(provider)) continue;
      if (this.registry.hasRoom(provider.key)) return this.#again(provider);
      return "This bridge has as many links as it allows.";
    }
  }

  /** By another tab: this one may have come from another bridge. */
  #isTakenElsewhere({ key, tab }: PageProvider): boolean {
    const other = this.registry.elsewhere(key)?.provider;
    if (other === undefined) return false;
    return tab === undefined || !isPage(other) || other.tab !== tab;
  }

  /** A page of the tab that had the place before is still the same page. */
  #again(provider: PageProvider): PageProvider {
    const last = this.#lastByKey.get(provider.key);
    const isSame = provider.tab !== undefined && last?.tab === provider.tab;
    const page = isSame ? { ...provider, since: last.since } : provider;
    this.#lastByKey.set(page.key, page);
    return page;
  }

  /** Sorts what an agent of a session asks for. What is pending needs a person's yes, see {@link grant}. */
  requestCapabilities(
    session: string | undefined,
    capabilities: readonly string[],
    asker?: string,
  ): CapabilityAnswer {
    const pages = this.#providersOf(session);
    if (pages.length > 0) this.sessions.open(session);
    const sites = new Set(pages.map(({ site }) => site));
    return this.sessions.request(session, [...sites], capabilities, asker);
  }

  grant(session: string | undefined, capabilities: readonly string[]): void {
    this.sessions.grant(session, capabilities);
    this.elsewhere?.decided(session, capabilities, true);
  }

  /** What waits here for a person's yes. */
  ownRequests(): PageRequest[] {
    return this.sessions.asked().map((request) => {
      const sites = this.#providersOf(request.session).map(({ name }) => name);
      return { ...request, sites };
    });
  }

  capabilityRequests(): PageRequest[] {
    const requests = new Map<string | undefined, PageRequest>();
    for (const request of [...this.ownRequests(), ...(this.elsewhere?.requests() ?? [])]) {
      const known = requests.get(request.session);
      requests.set(request.session, known === undefined ? request : together(known, request));
    }
    return [...requests.values()];
  }

  /** A person has said no, or not now: it may be asked for again. */
  dismissCapabilities(session: string | undefined, capabilities: readonly string[]): void {
    this.sessions.dismiss(session, capabilities);
    this.elsewhere?.decided(session, capabilities, false);
  }

  onCapabilityRequests(listener: () => void): () => void {
    this.#deskListeners.add(listener);
    return () => this.#deskListeners.delete(listener);
  }

  /** What the agent of a session may ask for; `nameOf` says who that is, by its program. */
  desk(session: string | undefined, nameOf: (program: string | undefined) => string) {
    return {
      request: (names: readonly string[], program: string | undefined) =>
        this.requestCapabilities(session, names, nameOf(program)),
      grant: (names: readonly string[]) => this.grant(session, names),
    };
  }

  notifyDesk(): void {
    for (const listener of [...this.#deskListeners]) listener();
  }

  #asked(): void {
    this.notifyDesk();
    this.elsewhere?.changed();
  }

  /**
   * The page that a new connection replaces: a tab that was loaded again may connect before its old connection is
   * known to be gone.
   */
  #ofTab({ session, site, tab }: PageOpening): PageLink | undefined {
    if (tab === undefined) return undefined;
    return this.#pagesOf(session).find(
      ({ provider }) => provider.tab === tab && provider.site === site,
    );
  }

  #pagesOf(session: string | undefined): PageLink[] {
    return [...this.#links].filter((link) => link.identified && link.provider.session === session);
  }

  #providersOf(session: string | undefined): PageProvider[] {
    const own = this.#pagesOf(session).map(({ provider }) => provider);
    return [...own, ...(this.elsewhere?.pages(session) ?? [])];
  }

  #offerAgain(session: string | undefined): void {
    for (const link of this.#pagesOf(session)) link.offer();
  }
}

function together(one: PageRequest, other: PageRequest): PageRequest {
  const { session, at, capabilities, askers, sites } = one;
  return {
    session,
    at: Math.min(at, other.at),
    capabilities: [...new Set([...capabilities, ...other.capabilities])],
    askers: [...new Set([...askers, ...other.askers])],
    sites: [...new Set([...sites, ...other.sites])],
  };
}
