import { BoundedMap } from "@ccbridge/registry";
import {
  type Allowance,
  allowanceText,
  formatDelay,
  type Meter,
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

/** Above this, the least recently used provider is forgotten. */
const MAX_PROVIDERS = 8_192;

export class Rates {
  readonly #perProvider: Allowances;
  readonly #clients = new WeakMap<Client, readonly Metered[]>();
  readonly #providers = new BoundedMap<string, readonly Metered[]>(MAX_PROVIDERS);
  readonly #countsProviders: boolean;

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
      meters = metersOf(client.rights);
      this.#clients.set(client, meters);
    }
    take(meters, `The token of this client (${client.name}) allows`);
  }

  /** Throws when the allowance is used up. */
  takeFromProvider(key: string, name: string): void {
    if (!this.#countsProviders) return;
    const meters = this.#providers.get(key) ?? metersOf(this.#perProvider);
    this.#providers.set(key, meters);
    take(meters, `This bridge allows for ${name}`);
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
