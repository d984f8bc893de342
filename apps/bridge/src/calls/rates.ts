import { ToolError } from "@ccbridge/mcp-tools";
import { BoundedMap, Budget } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";
import {
  formatDelay,
  type Meter,
  type MeterState,
  QuotaMeter,
  type RateLimit,
  RateMeter,
  rateLimitText,
} from "../auth/rights/rate-limit.js";
import { limits } from "../config/limits.js";
import type { Caller } from "./caller.js";

/** A call that was refused before it reached a provider. */
export class CallRefused extends ToolError {
  /** Milliseconds until it may be repeated, if only a rate refused it. */
  readonly retryMs: number | undefined;

  constructor(reason: string, hint = "Nothing was done.", retryMs?: number) {
    super(reason, hint, { code: "PERMISSION_DENIED", message: reason });
    this.retryMs = retryMs;
  }
}

export interface RateLimits {
  readonly rate?: RateLimit | undefined;
  readonly quota?: RateLimit | undefined;
}

interface Metered {
  readonly meter: Meter;
  readonly limit: RateLimit;
}

/** Keeps what is used up beyond this process. */
export interface KeptRates {
  load(name: string): readonly MeterState[] | undefined;
  save(name: string, states: readonly MeterState[]): void;
}

/** Above this, the least recently used provider is forgotten. */
const MAX_PROVIDERS = 8_192;

export class Rates {
  readonly #perProvider: RateLimits;
  readonly #clients = new WeakMap<Client, readonly Metered[]>();
  readonly #providers = new BoundedMap<string, readonly Metered[]>(MAX_PROVIDERS);
  readonly #countsProviders: boolean;
  /** What was taken since other bridges were notified, by the name of the meter; undefined when there are none. */
  taken: Map<string, number> | undefined;
  /** Set before the first call, if there is a history. */
  kept: KeptRates | undefined;

  constructor(perProvider: RateLimits = {}) {
    this.#perProvider = perProvider;
    this.#countsProviders = perProvider.rate !== undefined || perProvider.quota !== undefined;
  }

  /** Throws when the limit is used up. */
  takeFromClient(client: Client): void {
    const { rate, quota } = client.rights;
    if (rate === undefined && quota === undefined) return;
    let meters = this.#clients.get(client);
    if (meters === undefined) {
      meters = this.#restored(`client ${client.name}`, client.rights);
      this.#clients.set(client, meters);
    }
    this.#take(`client ${client.name}`, meters, `The token of this client (${client.name}) allows`);
  }

  /** Throws when the limit is used up. */
  takeFromProvider(key: string, name: string): void {
    if (!this.#countsProviders) return;
    const kept = `provider ${key}`;
    const meters = this.#providers.get(key) ?? this.#restored(kept, this.#perProvider);
    this.#providers.set(key, meters);
    this.#take(kept, meters, `This bridge allows for ${name}`);
  }

  /** Other bridges of the cluster have allowed so many calls: they count here too, but refuse nothing. */
  takeElsewhere(name: string, count: number, clients: readonly Client[]): void {
    for (const { meter } of this.#metersOf(name, clients)) {
      for (let taken = 0; taken < count && meter.take() === 0; taken++);
    }
  }

  #metersOf(name: string, clients: readonly Client[]): readonly Metered[] {
    const key = name.startsWith("provider ") ? name.slice("provider ".length) : undefined;
    if (key !== undefined) {
      if (!this.#countsProviders) return [];
      const meters = this.#providers.get(key) ?? this.#restored(name, this.#perProvider);
      this.#providers.set(key, meters);
      return meters;
    }
    const client = clients.find((each) => name === `client ${each.name}`);
    if (client === undefined) return [];
    const meters = this.#clients.get(client) ?? this.#restored(name, client.rights);
    this.#clients.set(client, meters);
    return meters;
  }

  #restored(name: string, limits: RateLimits): readonly Metered[] {
    const meters = metersOf(limits);
    for (const [index, state] of (this.kept?.load(name) ?? []).entries()) {
      meters[index]?.meter.restore(state);
    }
    return meters;
  }

  #take(name: string, meters: readonly Metered[], allows: string): void {
    take(meters, allows);
    this.taken?.set(name, (this.taken.get(name) ?? 0) + 1);
    this.kept?.save(
      name,
      meters.map(({ meter }) => meter.state()),
    );
  }
}

function metersOf({ rate, quota }: RateLimits): readonly Metered[] {
  return [
    ...(rate === undefined ? [] : [{ meter: new RateMeter(rate), limit: rate }]),
    ...(quota === undefined ? [] : [{ meter: new QuotaMeter(quota), limit: quota }]),
  ];
}

function take(meters: readonly Metered[], allows: string): void {
  for (const { meter, limit } of meters) {
    const waitMs = meter.take();
    if (waitMs > 0) {
      throw new CallRefused(
        `${allows} ${rateLimitText(limit)}, and they are used up.`,
        `Nothing was done. Try again ${formatDelay(waitMs)}.`,
        waitMs,
      );
    }
  }
}

/** Shorter arguments are bounded by the number of calls. */
const SHORT = 4_096;

/** Bounds the running calls of all clients, including those whose client no longer waits. */
export class CallLimiter {
  #running = 0;
  readonly #length = new Budget<Client>({ total: limits.callLength });

  /** Counts a call until the returned function is called. Throws when the limit is reached. */
  enter(client: Client, args: unknown): () => void {
    if (this.#running >= limits.callsAtOnce) {
      throw new CallRefused(
        `The bridge is working on ${limits.callsAtOnce} calls, which is its limit.`,
        "Nothing was done. Try again later.",
      );
    }
    const length = lengthOf(args);
    const counted = length > SHORT ? length : 0;
    if (!this.#length.take(client, counted)) {
      throw new CallRefused(
        "The calls that the bridge is working on hold as much text as it allows.",
        "Nothing was done. Try again when some of them are done, or send less in one call.",
      );
    }
    this.#running += 1;
    return () => {
      this.#running -= 1;
      this.#length.give(client, counted);
    };
  }
}

/** Approximate length in characters. Depth is already bounded by the JSON reader. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const key in value) length += key.length + lengthOf((value as Record<string, unknown>)[key]);
  return length;
}

const GROUP_MS = 60_000;

interface PollGroup {
  readonly since: number;
  calls: number;
}

/**
 * What sessions poll: a screen in a chat, a subscription, a view of the dashboard. The polls of a
 * minute count as one call in the audit and for rates. Rights are checked for each of them.
 */
export class PollGroups {
  readonly #now: () => number;
  readonly #sessions = new WeakMap<Caller, BoundedMap<string, PollGroup>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a call continues a group that was counted; otherwise it begins one. */
  continues(caller: Caller, polled: string): boolean {
    const now = this.#now();
    const groups = this.#sessions.get(caller) ?? new BoundedMap(limits.viewedScreens);
    this.#sessions.set(caller, groups);
    const group = groups.get(polled);
    const isRecent = group !== undefined && now - group.since < GROUP_MS;
    if (isRecent && group.calls < limits.viewCalls) {
      group.calls += 1;
      return true;
    }
    groups.set(polled, { since: now, calls: 1 });
    return false;
  }

  /** Ends a group, as after a failure, so that the next call counts. */
  end(caller: Caller, polled: string): void {
    this.#sessions.get(caller)?.delete(polled);
  }
}
