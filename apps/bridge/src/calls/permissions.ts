import { randomUUID } from "node:crypto";
import type { GrantedPermission, PermissionsAccess, Target } from "@ccbridge/mcp-tools";
import { BoundedMap } from "@ccbridge/registry";
import type { Client } from "../auth/rights/client.js";

const HOUR_MS = 3_600_000;
const MAX_PER_CLIENT = 256;

export function endOfPermission(now = Date.now()): number {
  return now + HOUR_MS;
}

export class Permissions implements PermissionsAccess {
  readonly #now: () => number;
  readonly #granted = new Map<Client, BoundedMap<string, GrantedPermission>>();
  readonly #listeners = new Set<() => void>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  list(): readonly GrantedPermission[] {
    return [...this.#granted.keys()]
      .flatMap((client) => this.#of(client))
      .sort((a, b) => a.until - b.until);
  }

  /** What an earlier process had granted to a client, as far as it still holds. */
  restore(client: Client, permissions: readonly GrantedPermission[]): void {
    const own = new BoundedMap<string, GrantedPermission>(MAX_PER_CLIENT);
    for (const permission of permissions) own.set(permission.id, permission);
    this.#granted.set(client, own);
  }

  /** What was granted on another bridge. */
  adopt(client: Client, permission: GrantedPermission): void {
    const own = this.#granted.get(client) ?? new BoundedMap(MAX_PER_CLIENT);
    this.#granted.set(client, own.set(permission.id, permission));
    this.#notify();
  }

  /** What a client was granted and holds. */
  of(client: Client): readonly GrantedPermission[] {
    return this.#of(client);
  }

  /** Who allowed a call; undefined unless all its targets are covered. */
  allowedBy(client: Client, tool: string, targets: readonly Target[]): string | undefined {
    const own = this.#of(client).filter(
      (permission) => permission.tool === undefined || permission.tool === tool,
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
    const own = this.#granted.get(client) ?? new BoundedMap(MAX_PER_CLIENT);
    this.#granted.set(client, own.set(permission.id, permission));
    this.#notify();
    return permission;
  }

  /** Undefined when it has already expired. */
  revoke(id: string): GrantedPermission | undefined {
    const permission = this.list().find((each) => each.id === id);
    if (permission === undefined) return undefined;
    for (const own of this.#granted.values()) own.delete(id);
    this.#notify();
    return permission;
  }

  revokeAllOf(clients: ReadonlySet<Client>): void {
    for (const client of clients) this.#granted.delete(client);
    this.#notify();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #of(client: Client): GrantedPermission[] {
    const own = this.#granted.get(client);
    if (own === undefined) return [];
    for (const [id, { until }] of own) if (until <= this.#now()) own.delete(id);
    return [...own.values()];
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
