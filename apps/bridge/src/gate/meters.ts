import {
  type Allowance,
  allowanceText,
  inTime,
  type Meter,
  QuotaMeter,
  RateMeter,
} from "../access/allowance.js";
import type { Client } from "../access/client.js";

/** How often something may be done. */
export interface Allowances {
  readonly rate?: Allowance | undefined;
  readonly quota?: Allowance | undefined;
}

interface Metered {
  readonly meter: Meter;
  readonly allowance: Allowance;
}

/** Computers whose calls are counted; beyond it the one that was asked the longest ago is forgotten. */
const MAX_COMPUTERS = 8_192;

/** Counts the calls of each client and of each computer. */
export class Meters {
  readonly #computer: Allowances;
  readonly #clients = new WeakMap<Client, readonly Metered[]>();
  readonly #computers = new Map<string, readonly Metered[]>();
  /** Whether anything is counted for computers. */
  readonly countsComputers: boolean;

  constructor(computer: Allowances = {}) {
    this.#computer = computer;
    this.countsComputers = computer.rate !== undefined || computer.quota !== undefined;
  }

  /** Counts a call of a client; a text says that it may not be made, and when it may. */
  client(client: Client): string | undefined {
    const { rate, quota } = client.rights;
    if (rate === undefined && quota === undefined) return undefined;
    let meters = this.#clients.get(client);
    if (meters === undefined) {
      meters = metersOf(client.rights);
      this.#clients.set(client, meters);
    }
    return take(meters, `The token of this client (${client.name}) allows`);
  }

  /** The same for a computer, over all clients. */
  computer(key: string): string | undefined {
    if (!this.countsComputers) return undefined;
    const meters = this.#computers.get(key) ?? metersOf(this.#computer);
    this.#computers.delete(key);
    this.#computers.set(key, meters);
    if (this.#computers.size > MAX_COMPUTERS) {
      const [oldest] = this.#computers.keys();
      if (oldest !== undefined) this.#computers.delete(oldest);
    }
    return take(meters, "This bridge allows for each computer");
  }
}

function metersOf({ rate, quota }: Allowances): readonly Metered[] {
  return [
    ...(rate === undefined ? [] : [{ meter: new RateMeter(rate), allowance: rate }]),
    ...(quota === undefined ? [] : [{ meter: new QuotaMeter(quota), allowance: quota }]),
  ];
}

function take(meters: readonly Metered[], allows: string): string | undefined {
  for (const { meter, allowance } of meters) {
    const waitMs = meter.take();
    if (waitMs > 0) {
      return `${allows} ${allowanceText(allowance)}, and they are used up. Try again ${inTime(waitMs)}.`;
    }
  }
  return undefined;
}
