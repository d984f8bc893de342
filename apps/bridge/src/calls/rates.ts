import { BoundedMap } from "@ccbridge/registry";
import {
  type Allowance,
  allowanceText,
  formatDelay,
  type Meter,
  type MeterState,
  QuotaMeter,
  RateMeter,
} from "../auth/rights/allowance.js";
import type { Client } from "../auth/rights/client.js";
import { CallRefused } from "./refusal.js";

export interface Allowances {
  readonly rate?: Allowance | undefined;
  readonly quota?: Allowance | undefined;
}

interface Metered {
  readonly meter: Meter;
  readonly allowance: Allowance;
}

/** Keeps what is used up beyond this process. */
export interface KeptRates {
  load(name: string): readonly MeterState[] | undefined;
  save(name: string, states: readonly MeterState[]): void;
}

/** Above this, the least recently used provider is forgotten. */
const MAX_PROVIDERS = 8_192;

export class Rates {
  readonly #perProvider: Allowances;
  readonly #clients = new WeakMap<Client, readonly Metered[]>();
  readonly #providers = new BoundedMap<string, readonly Metered[]>(MAX_PROVIDERS);
  readonly #countsProviders: boolean;
  /** Set before the first call, if there is a history. */
  kept: KeptRates | undefined;

  constructor(perProvider: Allowances = {}) {
    this.#perProvider = perProvider;
    this.#countsProviders = perProvider.rate !== undefined || perProvider.quota !== undefined;
  }

  /** Throws when the allowance is used up. */
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

  /** Throws when the allowance is used up. */
  takeFromProvider(key: string, name: string): void {
    if (!this.#countsProviders) return;
    const kept = `provider ${key}`;
    const meters = this.#providers.get(key) ?? this.#restored(kept, this.#perProvider);
    this.#providers.set(key, meters);
    this.#take(kept, meters, `This bridge allows for ${name}`);
  }

  #restored(name: string, allowances: Allowances): readonly Metered[] {
    const meters = metersOf(allowances);
    for (const [index, state] of (this.kept?.load(name) ?? []).entries()) {
      meters[index]?.meter.restore(state);
    }
    return meters;
  }

  #take(name: string, meters: readonly Metered[], allows: string): void {
    take(meters, allows);
    this.kept?.save(
      name,
      meters.map(({ meter }) => meter.state()),
    );
  }
}

function metersOf({ rate, quota }: Allowances): readonly Metered[] {
  return [
    ...(rate === undefined ? [] : [{ meter: new RateMeter(rate), allowance: rate }]),
    ...(quota === undefined ? [] : [{ meter: new QuotaMeter(quota), allowance: quota }]),
  ];
}

function take(meters: readonly Metered[], allows: string): void {
  for (const { meter, allowance } of meters) {
    const waitMs = meter.take();
    if (waitMs > 0) {
      throw new CallRefused(
        `${allows} ${allowanceText(allowance)}, and they are used up.`,
        `Nothing was done. Try again ${formatDelay(waitMs)}.`,
        waitMs,
      );
    }
  }
}
