import { randomUUID } from "node:crypto";
import type { GrantedPermission, PermissionsAccess, Target } from "@ccbridge/mcp-tools";
import type { Client } from "../access/client.js";

const HOUR_MS = 3_600_000;
const MAX_PER_CLIENT = 256;

/** When a permission that is given now would end. */
export function endOfPermission(now = Date.now()): number {
  return now + HOUR_MS;
}

/** The permissions of all clients. One that loses its token loses them too. */
export class Permissions implements PermissionsAccess {
  readonly #now: () => number;
  readonly #granted = new Map<GrantedPermission, Client>();
  readonly #listeners = new Set<() => void>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Those that hold now, the one that was given last at the end. */
  list(): readonly GrantedPermission[] {
    for (const permission of this.#granted.keys()) {
      if (permission.until <= this.#now()) this.#granted.delete(permission);
    }
    return [...this.#granted.keys()];
  }

  /** Who allowed a call; undefined unless all its targets are covered. */
  allowedBy(client: Client, tool: string, targets: readonly Target[]): string | undefined {
    const own = this.list().filter(
      (permission) =>
        this.#granted.get(permission) === client &&
        (permission.tool === undefined || permission.tool === tool),
    );
    const covering =
      targets.length === 0
        ? [own.find((permission) => permission.tool === tool && permission.targets.length === 0)]
        : targets.map(({ key }) =>
            own.find((permission) => permission.targets.some((target) => target.key === key)),
          );
    const [first] = covering;
    return covering.includes(undefined) ? undefined : first?.grantedBy;
  }

  grant(
    client: Client,
    granted: Pick<GrantedPermission, "tool" | "targets" | "grantedBy"> & {
      readonly until?: number;
    },
  ): GrantedPermission {
    const permission = {
      id: randomUUID(),
      client: client.name,
      until: endOfPermission(this.#now()),
      ...granted,
    };
    const own = this.list().filter((other) => this.#granted.get(other) === client);
    const [oldest] = own;
    if (own.length >= MAX_PER_CLIENT && oldest !== undefined) this.#granted.delete(oldest);
    this.#granted.set(permission, client);
    this.#notify();
    return permission;
  }

  /** Ends one before its time; undefined when it does not hold any more. */
  revoke(id: string): GrantedPermission | undefined {
    const permission = this.list().find((each) => each.id === id);
    if (permission === undefined) return undefined;
    this.#granted.delete(permission);
    this.#notify();
    return permission;
  }

  /** Ends those of clients whose token was removed or changed. */
  revokeAllOf(clients: ReadonlySet<Client>): void {
    for (const [permission, client] of this.#granted) {
      if (clients.has(client)) this.#granted.delete(permission);
    }
    this.#notify();
  }

  /** Calls back when one is given or revoked, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
