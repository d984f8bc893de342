import { type CapabilityAnswer, missingOf, sortRequest } from "@ccbridge/protocol/btcp";

const MAX_GRANTS = 256;
const MAX_ASKERS = 8;

/** What pages and agents of one session have in common. Undefined is the id of the common session. */
interface PageSession {
  readonly id: string | undefined;
  readonly granted: Set<string>;
  /** What agents asked for and no person has decided on. A person can grant few names, so it stays short. */
  readonly asked: Set<string>;
  /** Who asked for it. */
  readonly askers: Set<string>;
  /** When the first of that was asked for, in milliseconds since 1970. */
  askedAt: number;
  pages: number;
  usedAt: number;
}

export interface PageSessionsOptions {
  grants(session: string | undefined, site: string | undefined): Iterable<string>;
  /** What a session begins with, because a person granted it on another bridge. */
  granted?(session: string | undefined): Iterable<string>;
  /** How long a session without pages is remembered. */
  idleMs: number;
  /** How long an unused session lives, with pages or without; grants end with it. */
  ttlMs: number;
  maxSessions: number;
  onGrants(session: string | undefined): void;
  onAsked?(): void;
}

export interface CapabilityRequest {
  readonly session: string | undefined;
  readonly capabilities: readonly string[];
  /** The agents that asked, as far as they have names. */
  readonly askers: readonly string[];
  /** In milliseconds since 1970. */
  readonly at: number;
}

export class PageSessions {
  readonly #options: PageSessionsOptions;
  readonly #sessions = new Map<string | undefined, PageSession>();

  constructor(options: PageSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  hasRoom(id: string | undefined): boolean {
    if (this.#sessions.has(id)) return true;
    if (this.#sessions.size >= this.#options.maxSessions) this.sweep();
    if (this.#sessions.size >= this.#options.maxSessions) this.#makeRoom();
    return this.#sessions.size < this.#options.maxSessions;
  }

  pagesOf(id: string | undefined): number {
    return this.#sessions.get(id)?.pages ?? 0;
  }

  enter(id: string | undefined): void {
    // Sessions are not swept while no page is linked.
    this.sweep();
    const session = this.#open(id);
    session.pages += 1;
    session.usedAt = performance.now();
  }

  /** Remembers a session whose pages are linked to other bridges. */
  open(id: string | undefined): void {
    if (!this.#sessions.has(id) && this.hasRoom(id)) this.#open(id);
  }

  leave(id: string | undefined): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    session.pages -= 1;
    session.usedAt = performance.now();
  }

  /** Something was done in a session: its time begins again. */
  use(id: string | undefined): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) session.usedAt = performance.now();
  }

  /** When an unused session ends, in milliseconds since 1970. */
  expiresAt(): number {
    return Date.now() + this.#options.ttlMs;
  }

  missing(
    id: string | undefined,
    site: string | undefined,
    capabilities: readonly string[],
  ): string[] {
    if (capabilities.length === 0) return [];
    return missingOf(capabilities, this.#grants(id, site));
  }

  request(
    id: string | undefined,
    sites: readonly (string | undefined)[],
    capabilities: readonly string[],
    asker?: string,
  ): CapabilityAnswer {
    const everywhere = capabilities.filter(
      (capability) =>
        sites.length > 0 &&
        sites.every((site) => this.missing(id, site, [capability]).length === 0),
    );
    const session = this.#sessions.get(id);
    const answer = sortRequest(capabilities, [...(session?.granted ?? []), ...everywhere]);
    if (session !== undefined) this.#note(session, answer.pending, asker);
    return answer;
  }

  asked(): CapabilityRequest[] {
    return [...this.#sessions.values()].flatMap(({ id, asked, askers, askedAt: at }) =>
      asked.size === 0 ? [] : [{ session: id, capabilities: [...asked], askers: [...askers], at }],
    );
  }

  grant(id: string | undefined, capabilities: readonly string[]): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    for (const capability of capabilities) {
      if (session.granted.size < MAX_GRANTS) session.granted.add(capability);
    }
    session.usedAt = performance.now();
    this.dismiss(id, capabilities);
    this.#options.onGrants(id);
  }

  /** What was asked for no longer waits. */
  dismiss(id: string | undefined, capabilities: readonly string[]): void {
    const { asked } = this.#sessions.get(id) ?? {};
    if (asked === undefined) return;
    const before = asked.size;
    for (const capability of capabilities) asked.delete(capability);
    if (asked.size < before) this.#options.onAsked?.();
  }

  sweep(now = performance.now()): void {
    const { idleMs, ttlMs, onGrants } = this.#options;
    for (const [id, { pages, usedAt, granted, asked }] of [...this.#sessions]) {
      const unusedMs = now - usedAt;
      if (unusedMs >= Math.min(ttlMs, pages === 0 ? idleMs : ttlMs)) this.dismiss(id, [...asked]);
      if (pages === 0 && unusedMs >= Math.min(idleMs, ttlMs)) this.#sessions.delete(id);
      else if (unusedMs >= ttlMs && granted.size > 0) {
        granted.clear();
        onGrants(id);
      }
    }
  }

  // Forgets the session that was left first, of those without grants: nothing is lost with it, and
  // a page that returns under new names again and again shuts no other page out.
  #makeRoom(): void {
    let oldest: PageSession | undefined;
    for (const session of this.#sessions.values()) {
      if (session.pages > 0 || session.granted.size > 0) continue;
      if (oldest === undefined || session.usedAt < oldest.usedAt) oldest = session;
    }
    if (oldest === undefined) return;
    this.dismiss(oldest.id, [...oldest.asked]);
    this.#sessions.delete(oldest.id);
  }

  #open(id: string | undefined): PageSession {
    const session = this.#sessions.get(id) ?? newSession(id, this.#options.granted?.(id) ?? []);
    this.#sessions.set(id, session);
    return session;
  }

  #note(session: PageSession, pending: readonly string[], asker: string | undefined): void {
    if (pending.length === 0) return;
    const { asked, askers } = session;
    const before = asked.size;
    if (before === 0) {
      session.askedAt = Date.now();
      askers.clear();
    }
    const isKnown = asker === undefined || askers.has(asker) || askers.size >= MAX_ASKERS;
    if (!isKnown) askers.add(asker);
    for (const capability of pending) asked.add(capability);
    if (asked.size > before || !isKnown) this.#options.onAsked?.();
  }

  #grants(id: string | undefined, site: string | undefined): string[] {
    return [...this.#options.grants(id, site), ...(this.#sessions.get(id)?.granted ?? [])];
  }
}

function newSession(id: string | undefined, granted: Iterable<string>): PageSession {
  const [asked, askers] = [new Set<string>(), new Set<string>()];
  const usedAt = performance.now();
  return { id, granted: new Set(granted), asked, askers, askedAt: 0, pages: 0, usedAt };
}
