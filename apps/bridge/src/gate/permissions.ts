import type { Client } from "../access/client.js";

const HOUR_MS = 3_600_000;
const MAX_PERMISSIONS = 256;

/** What a person allowed for an hour: each is one client on one provider. Kept in memory only. */
export class Permissions {
  readonly #now: () => number;
  readonly #until = new WeakMap<Client, Map<string, number>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  has(client: Client, target: string): boolean {
    return (this.#until.get(client)?.get(target) ?? 0) > this.#now();
  }

  allowForAnHour(client: Client, target: string): void {
    const until = this.#until.get(client) ?? new Map<string, number>();
    this.#until.set(client, until);
    until.delete(target);
    until.set(target, this.#now() + HOUR_MS);
    const [oldest] = until.keys();
    if (until.size > MAX_PERMISSIONS && oldest !== undefined) until.delete(oldest);
  }
}
