import { Memory } from "./budget.js";
import { Changes } from "./changes.js";
import type { Dialect } from "./dialect.js";
import { LinkErrorCode } from "./errors.js";
import type { EventStore } from "./events/event-store.js";
import { Events } from "./events/events.js";
import type { NamedProgram } from "./jobs/job.js";
import type { JobStore } from "./jobs/job-store.js";
import { Jobs } from "./jobs/jobs.js";
import { type RegistryLimits, withDefaults } from "./limits.js";
import { OfferedTools } from "./offers.js";
import type { Provider } from "./provider.js";
import { createId, numberedIds } from "./requests.js";
import type { ProviderSession, SessionEnd, SessionHost } from "./session.js";

export interface Joining {
  /** Requests of an earlier link that the provider still has, or whose answer it kept. */
  readonly jobs?: readonly string[] | undefined;
  /** The programs among them. */
  readonly programs?: readonly NamedProgram[] | undefined;
  welcome(jobs: { id: string; seq: number }[]): void;
}

/** Where jobs and events are kept beyond this process. Without one they are kept in memory only. */
export interface Stores {
  readonly jobs?: JobStore | undefined;
  readonly events?: EventStore | undefined;
}

export interface LinkedElsewhere {
  readonly provider: Provider;
  /** See {@link ProviderSession.owner}. */
  readonly owner?: string | undefined;
}

/**
 * Everyone who is linked, whatever wire they speak: their sessions, jobs, events and tools. A dialect makes
 * a {@link ProviderSession} of each connection, and joins it once it knows who that is.
 */
export class Registry {
  readonly limits: Readonly<RegistryLimits>;
  readonly jobs: Jobs;
  readonly events: Events;
  readonly offered: OfferedTools;
  /** What a provider is called in subscriptions to changes, beside its key. */
  readonly addressesOf = (provider: Provider): readonly string[] =>
    this.dialect(provider.kind)?.addresses?.(provider) ?? [];
  readonly changes = new Changes(this.addressesOf);
  readonly host: SessionHost;
  readonly #linked = new Map<string, ProviderSession>();
  readonly #held = new Set<ProviderSession>();
  readonly #stores: Stores;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #closed = false;
  readonly #dialects = new Map<string, Dialect>();

  constructor(options: Partial<RegistryLimits> = {}, stores: Stores = {}) {
    this.limits = withDefaults(options);
    this.#stores = stores;
    const { limits, changes } = this;
    const memory = new Memory(limits.maxKeptBytes);
    this.host = {
      limits,
      nextId: numberedIds(),
      ended: (session, end) => this.#onEnded(session, end),
      stateChanged: (session) => {
        const provider = this.#providerOf(session);
        if (provider === undefined) return;
        const { origin, state } = session;
        changes.emit({ topic: "state", provider, origin, state });
      },
    };
    this.jobs = new Jobs({
      limits,
      memory,
      store: stores.jobs,
      nextId: createId,
      sessionOf: (key) => this.#linked.get(key),
    });
    this.events = new Events({
      limits,
      memory,
      store: stores.events,
      onEvent: (provider, event) => changes.emit({ topic: "events", provider, event }),
    });
    this.offered = new OfferedTools(limits, (provider) => {
      const { key } = provider;
      const { broken } = this.offered.of(key);
      changes.emit({ topic: "tools", provider, origin: this.#linked.get(key)?.origin, broken });
    });
  }

  /** Takes over the jobs and events of an earlier process. Call it before any provider is linked. */
  async restore(): Promise<void> {
    const { jobs, events } = this.#stores;
    const endedAfter = Date.now() - this.limits.keepJobsMs;
    const [records, logs] = await Promise.all([jobs?.load(endedAfter), events?.load()]);
    this.jobs.restore(records ?? []);
    this.events.restore(logs ?? []);
  }

  get size(): number {
    return this.#linked.size;
  }

  get held(): number {
    return this.#held.size;
  }

  /** The bridge ends soon, and others are there. */
  isDraining = false;
  /** What other bridges have linked. */
  elsewhere: (key: string) => LinkedElsewhere | undefined = () => undefined;

  get takesLinks(): boolean {
    return !this.#closed && !this.isDraining;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  session(key: string): ProviderSession | undefined {
    return this.#linked.get(key);
  }

  sessions(): IterableIterator<ProviderSession> {
    return this.#linked.values();
  }

  /** Whether a provider may be linked: there is room, or it has a place already. */
  hasRoom(key: string): boolean {
    return this.#linked.has(key) || this.#linked.size < this.limits.maxLinks;
  }

  hold(session: ProviderSession): void {
    this.#held.add(session);
    this.#startHeartbeat();
  }

  release(session: ProviderSession): void {
    this.#held.delete(session);
    this.#stopIdleHeartbeat();
  }

  /**
   * Links a session whose `provider` is known now, in place of an earlier one of the same provider. Joining
   * again updates the name, or asks for a welcome that did not arrive. The caller has made sure that there is room.
   */
  join(session: ProviderSession, { jobs = [], programs = [], welcome }: Joining): void {
    const { provider, origin } = session;
    const { key } = provider;
    const earlier = this.#linked.get(key);
    const again = earlier === session;
    if (!again) earlier?.close(LinkErrorCode.replaced, "another program took over this link");
    if (again) {
      this.jobs.identified(provider);
      this.jobs.begun(provider, programs);
      welcome(this.jobs.cursors(provider.key, jobs));
    } else {
      // Settled before the link counts: nothing may be sent on it ahead of the welcome.
      welcome(this.jobs.linked(provider, jobs, programs));
      // It may have ended while it was welcomed.
      if (!session.open) return;
      this.#linked.set(key, session);
      this.jobs.resume(session, jobs);
    }
    this.events.linked(provider);
    this.changes.emit({ topic: "linked", provider, origin, again });
    this.#startHeartbeat();
  }

  /** Takes in a dialect: its providers can be asked for from now on. */
  add(dialect: Dialect): void {
    if (this.#dialects.has(dialect.kind)) throw new Error(`two dialects for ${dialect.kind}`);
    this.#dialects.set(dialect.kind, dialect);
  }

  dialect(kind: string): Dialect | undefined {
    return this.#dialects.get(kind);
  }

  get dialects(): readonly Dialect[] {
    return [...this.#dialects.values()];
  }

  /** Says goodbye to all providers and fails what waits. Dialects refuse later connections. */
  close(reason = "the bridge is shutting down"): void {
    this.#closed = true;
    this.jobs.close();
    this.events.close();
    for (const session of [...this.#linked.values()]) {
      session.close(LinkErrorCode.shuttingDown, reason);
    }
    for (const dialect of this.#dialects.values()) dialect.close(reason);
  }

  #onEnded(session: ProviderSession, end: SessionEnd): void {
    this.release(session);
    const provider = this.#providerOf(session);
    if (provider === undefined) return;
    const { key } = provider;
    this.#linked.delete(key);
    this.jobs.unlinked(key);
    this.events.unlinked(key);
    this.offered.withdraw(provider);
    this.#stopIdleHeartbeat();
    this.changes.emit({ topic: "unlinked", provider, origin: session.origin, ...end });
  }

  #providerOf(session: ProviderSession) {
    if (!session.identified) return undefined;
    const { provider } = session;
    return this.#linked.get(provider.key) === session ? provider : undefined;
  }

  /** One timer for all links: thousands of idle providers cost a loop now and then, nothing more. */
  #startHeartbeat(): void {
    if (this.#heartbeat !== undefined || this.#linked.size + this.#held.size === 0) return;
    const everyMs = Math.max(20, Math.min(this.limits.heartbeatMs / 5, 5_000));
    this.#heartbeat = setInterval(() => {
      const now = performance.now();
      for (const session of [...this.#linked.values(), ...this.#held]) session.checkHeartbeat(now);
    }, everyMs);
    this.#heartbeat.unref?.();
  }

  #stopIdleHeartbeat(): void {
    if (this.#linked.size + this.#held.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}
