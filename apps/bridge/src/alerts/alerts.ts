import {
  type Alert,
  type AlertOrder,
  type AlertsAccess,
  createAlert,
  type Fired,
  type Happening,
  happeningText,
  meets,
  ToolError,
} from "@ccbridge/mcp-tools";
import {
  createId,
  LinkError,
  LinkErrorCode,
  matchesGlob,
  type PortChange,
  type Provider,
  quoted,
} from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import type { Client } from "../auth/rights/client.js";
import { ViewerCalls } from "../dashboard/context/viewer-calls.js";
import type { McpServices } from "../mcp/handlers/session.js";
import { deliver } from "./deliver.js";
import { FiredLog } from "./fired-log.js";
import {
  type AlertRow,
  type AlertsElsewhere,
  hasAny,
  isOfLinks,
  type KeptAlerts,
  type OpenAlert,
  type SharedAlerts,
  watcherOf,
} from "./open-alert.js";
import type { Webhooks } from "./webhooks.js";

export const MAX_ALERTS_PER_CLIENT = 16;
const MAX_ALERTS = 256;
const PAGE = 100;
const SWEEP_MS = 60_000;
const WATCH_TIMEOUT_MS = 20_000;

export interface AlertsOptions {
  clients: Clients;
  webhooks: Webhooks;
  /** The place of the next event of a provider that is linked to this bridge. */
  endOf(key: string): number | undefined;
}

/** Notifies the players of clients of events that no call waits for. */
export class Alerts {
  readonly #clients: Clients;
  readonly #webhooks: Webhooks;
  readonly #endOf: AlertsOptions["endOf"];
  readonly #open = new Map<string, OpenAlert>();
  readonly #fired = new FiredLog();
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  /** Those of the other bridges of a cluster. */
  elsewhere: AlertsElsewhere | undefined;
  #services: McpServices | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  /** Called with whether it must be saved at once; resolves when it is. */
  onChange: ((isUrgent: boolean) => Promise<void>) | undefined;

  constructor({ clients, webhooks, endOf }: AlertsOptions) {
    this.#clients = clients;
    this.#webhooks = webhooks;
    this.#endOf = endOf;
    clients.onGone(() => this.#sweep());
  }

  /** Begins to listen. Call it before anything links. */
  async start(services: McpServices): Promise<void> {
    this.#services = services;
    const topics = ["events", "linked", "unlinked"] as const;
    await services.providers.changes.subscribe((change) => this.#notice(change), { topics });
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
  }

  close(): void {
    clearInterval(this.#sweeper);
    this.#closed.abort();
  }

  restore({ alerts, fired }: KeptAlerts): void {
    for (const { owner, alert, cursors } of alerts.slice(0, MAX_ALERTS)) {
      const nextAt = alert.lastAt === undefined ? 0 : alert.lastAt + alert.everyMs;
      const more = { nextAt, skipped: 0, reading: new Map() };
      this.#open.set(alert.id, { owner, alert, cursors: new Map(cursors), ...more });
    }
    this.#fired.restore(fired);
    this.#sweep();
  }

  /** What {@link restore} takes. */
  get kept(): KeptAlerts {
    return {
      alerts: [...this.#open.values()].map(({ owner, alert, cursors }) => {
        return { owner, alert, cursors: [...cursors] };
      }),
      fired: this.#fired.all,
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the other bridges see of this one. */
  get shared(): SharedAlerts {
    const alerts = [...this.#open.values()].map(({ owner, alert }) => ({ owner, alert }));
    return { alerts, fired: this.#fired.all };
  }

  list(client?: Client): readonly AlertRow[] {
    const owner = client && this.#clients.tokenOf(client);
    return this.#all("alerts")
      .filter((open) => owner === undefined || open.owner === owner)
      .map((open) => ({ ...open.alert, client: this.#clients.withToken(open.owner)?.name ?? "" }));
  }

  /** What was delivered to one client, or to all; the newest last. */
  fired(client?: Client): readonly Fired[] {
    const owner = client && this.#clients.tokenOf(client);
    return this.#all("fired")
      .filter((fired) => owner === undefined || fired.owner === owner)
      .map(({ owner: _, ...fired }) => fired)
      .sort((a, b) => a.at - b.at);
  }

  remove(id: string, client?: Client): Alert | undefined {
    const found = this.#all("alerts").find(({ alert }) => alert.id === id);
    if (found === undefined) return undefined;
    if (client !== undefined && found.owner !== this.#clients.tokenOf(client)) return undefined;
    const open = this.#open.get(id);
    if (open === undefined) this.elsewhere?.remove(id);
    else this.#end(open);
    return found.alert;
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #all<K extends keyof SharedAlerts>(what: K): SharedAlerts[K][number][] {
    const all = [this.shared, ...(this.elsewhere?.all() ?? [])];
    return all.flatMap((each): SharedAlerts[K][number][] => [...each[what]]);
  }

  of(client: Client): AlertsAccess {
    return {
      create: (order) => this.#create(client, order),
      list: () => this.list(client),
      fired: () => this.fired(client),
      remove: (id) => this.remove(id, client),
      webhookProblem: (url) => this.#webhooks.problem(url),
    };
  }

  async #create(client: Client, order: AlertOrder): Promise<Alert> {
    const owner = this.#clients.tokenOf(client);
    const own = this.#all("alerts").filter((open) => open.owner === owner).length;
    if (own >= MAX_ALERTS_PER_CLIENT || this.#open.size >= MAX_ALERTS) {
      throw new ToolError(
        own >= MAX_ALERTS_PER_CLIENT
          ? `You have ${own} alerts, which is the limit.`
          : `This bridge has ${MAX_ALERTS} alerts, which is the limit.`,
        "Nothing was created. Remove one first: create-alert {} lists yours.",
      );
    }
    const id = createId().slice(0, 8);
    const open: OpenAlert = {
      owner,
      alert: { ...order, id, createdAt: Date.now(), fired: 0 },
      ...{ cursors: new Map(), reading: new Map(), nextAt: 0, skipped: 0 },
    };
    this.#open.set(id, open);
    try {
      await this.#begin(open);
    } catch (error) {
      this.#end(open);
      throw error;
    }
    await this.#changed(true);
    return open.alert;
  }

  /** Asks for the events of what is linked. */
  async #begin(open: OpenAlert): Promise<void> {
    const calls = this.#callsOf(open);
    if (calls === undefined || isOfLinks(open.alert)) return;
    const { provider: about } = open.alert;
    const views = await calls.providers.list();
    const wanted = views.filter(({ key }) => about === undefined || about.key === key);
    if (about !== undefined) {
      const end = (await calls.providers.events.get(about.key))?.end;
      if (end !== undefined) open.cursors.set(about.key, end);
    }
    const reasons = await Promise.all(wanted.map(({ provider }) => this.#watch(open, provider)));
    const failed = reasons.filter((reason) => reason !== undefined);
    const [reason] = failed;
    if (reason === undefined) return;
    if (about !== undefined) throw new ToolError(reason, "The alert was not created.");
    const others = failed.length === 1 ? "" : `, and ${failed.length - 1} others are not watched`;
    open.alert = { ...open.alert, trouble: `${reason}${others}.` };
  }

  /** Has a provider send the event. Resolves with why it does not. */
  async #watch(open: OpenAlert, provider: Provider): Promise<string | undefined> {
    const { event, filter } = open.alert;
    const calls = this.#callsOf(open);
    const kind = this.#kindOf(provider);
    if (calls === undefined || kind?.events?.areWatched !== true) return undefined;
    if (!this.#mayRead(calls, provider)) return undefined;
    // Only conditions on arguments can be checked in the game, and only as it compares them.
    const isByPlace = Object.entries(filter).every(
      ([name, wanted]) => /^[1-9]\d?$/.test(name) && typeof wanted === "number",
    );
    const watch = { name: event, ...(isByPlace && hasAny(filter) ? { filter } : {}) };
    try {
      const { key } = provider;
      const change = { mode: "add", watches: [watch] } as const;
      const options = { timeoutMs: WATCH_TIMEOUT_MS };
      const answer = await calls.providers.events.watch(key, change, options);
      if (!answer.ok) return `${provider.name} cannot be watched: ${quoted(answer.error, 200)}`;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (error.code === LinkErrorCode.notLinked || error.code === LinkErrorCode.away) return;
      return `${provider.name} cannot be watched: ${error.message}`;
    }
  }

  #notice({ topic, provider, event }: PortChange): void {
    // When the bridge stops, everything leaves.
    if (this.#closed.signal.aborted) return;
    const { key } = provider;
    for (const open of this.#open.values()) {
      const { alert } = open;
      if (alert.provider !== undefined && alert.provider.key !== key) continue;
      if (topic === "events") {
        if (isOfLinks(alert) || !matchesGlob(alert.event, event ?? "")) continue;
        // It begins with the event that has just come.
        const end = open.cursors.has(key) ? undefined : this.#endOf(key);
        if (end !== undefined) open.cursors.set(key, Math.max(0, end - 1));
        void this.#read(open, provider).catch(() => {});
      } else if (alert.event === topic) {
        void this.#happened(open, provider, { name: topic, args: [] }).catch(() => {});
      } else if (topic === "linked" && !isOfLinks(alert)) {
        void this.#watch(open, provider).catch(() => {});
      }
    }
  }

  async #read(open: OpenAlert, provider: Provider): Promise<void> {
    const { key } = provider;
    if (open.reading.has(key)) {
      open.reading.set(key, true);
      return;
    }
    open.reading.set(key, false);
    try {
      do {
        open.reading.set(key, false);
        await this.#readOn(open, provider);
      } while (open.reading.get(key) === true);
    } catch (error) {
      // What its client may not see now is not delivered later either.
      open.cursors.delete(key);
      if (!(error instanceof LinkError)) throw error;
    } finally {
      open.reading.delete(key);
    }
  }

  async #readOn(open: OpenAlert, provider: Provider): Promise<void> {
    const { key } = provider;
    const { event: name } = open.alert;
    for (;;) {
      const calls = this.#callsOf(open);
      if (calls === undefined) return;
      const { events } = calls.providers;
      if (!this.#mayRead(calls, provider)) {
        open.cursors.delete(key);
        return;
      }
      const cursor = open.cursors.get(key) ?? Math.max(0, ((await events.get(key))?.end ?? 1) - 1);
      const page = await events.read(key, { cursor, limit: PAGE, watch: { name } });
      open.cursors.set(key, page.next);
      for (const { name: happened, args } of page.events) {
        if (!this.#open.has(open.alert.id)) return;
        await this.#happened(open, provider, { name: happened, args });
      }
      void this.#changed(false);
      if (page.events.length < PAGE) return;
    }
  }

  async #happened(open: OpenAlert, provider: Provider, event: Happening): Promise<void> {
    const calls = this.#callsOf(open);
    if (calls === undefined || !this.#mayRead(calls, provider)) return;
    const facts = this.#kindOf(provider)?.events?.factsOf?.(event);
    const happening = { ...event, facts };
    if (meets(open.alert.filter, happening)) await this.#fire(open, calls, provider, happening);
  }

  async #fire(
    open: OpenAlert,
    calls: ViewerCalls,
    provider: Provider,
    happening: Happening,
  ): Promise<void> {
    const { id, times, everyMs, message, until } = open.alert;
    const at = Date.now();
    if (!this.#open.has(id) || at >= until) return;
    if (at < open.nextAt) {
      open.skipped += 1;
      return;
    }
    const what = `${provider.name}: ${happeningText(happening)}`;
    const before = open.skipped === 0 ? "" : ` (and ${open.skipped} more before)`;
    const text = `${message === undefined ? what : `${message} (${what})`}${before}`;
    open.nextAt = at + everyMs;
    open.skipped = 0;
    open.alert = { ...open.alert, fired: open.alert.fired + 1, lastAt: at };
    const { key, name } = provider;
    const { owner } = open;
    const client = calls.caller.client.name;
    const fired = { at, text, alert: id, client, provider: { key, name }, owner };
    // Noted first: after a crash it must not be delivered twice.
    this.#fired.note({ ...fired, problems: [] });
    await this.#changed(true);
    const problems = await deliver({ calls, webhooks: this.#webhooks, provider }, open.alert, text);
    this.#fired.note({ ...fired, problems });
    if (open.alert.fired >= times) this.#end(open);
    void this.#changed(true);
  }

  #mayRead(calls: ViewerCalls, provider: Provider): boolean {
    if (calls.providers.sees?.(provider) === false || !calls.allows(createAlert.name)) return false;
    const kind = this.#kindOf(provider);
    return kind !== undefined && calls.allows(kind.eventsReadBy ?? kind.listedBy);
  }

  #kindOf({ kind }: Provider) {
    return this.#services?.context.settings.kinds.get(kind);
  }

  /** Undefined when its client is gone. */
  #callsOf({ owner, alert: { id } }: OpenAlert): ViewerCalls | undefined {
    const client = this.#clients.withToken(owner);
    const services = this.#services;
    if (client === undefined || services === undefined || !this.#open.has(id)) return undefined;
    const { signal: gone } = this.#closed;
    const options = { services, client, name: client.name, gone, software: "alert" };
    return new ViewerCalls(options, watcherOf(id));
  }

  #sweep(): void {
    for (const open of [...this.#open.values()]) {
      const isOver = open.alert.until <= Date.now();
      if (isOver || this.#clients.withToken(open.owner) === undefined) this.#end(open);
    }
  }

  #end({ alert: { id } }: OpenAlert): void {
    if (!this.#open.delete(id)) return;
    this.#services?.providers.events.release(watcherOf(id));
    void this.#changed(true);
  }

  #changed(isUrgent: boolean): Promise<void> | undefined {
    if (isUrgent) {
      this.notify();
      this.elsewhere?.changed();
    }
    return this.onChange?.(isUrgent);
  }
}
