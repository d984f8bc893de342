import { createHash } from "node:crypto";
import type { Cluster } from "@ccbridge/cluster";
import type { GrantedPermission } from "@ccbridge/mcp-tools";
import { LinkErrorCode, REVOKED, type Registry } from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import { decidedAt, type SharedPairing } from "../auth/pairing/paired.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import { anyone } from "../auth/rights/client.js";
import type { Permissions } from "../calls/permissions.js";
import type { Rates } from "../calls/rates.js";

/** What is kept on disk by each bridge and must be the same on all. */

interface SharedGrant {
  readonly client: string;
  readonly fingerprint: string;
  /** Undefined: it was revoked. */
  readonly permission?: GrantedPermission | undefined;
}

/** What a person allows for an hour holds on all bridges, for the client with the same token and rights. */
export function sharePermissions(
  cluster: Cluster,
  permissions: Permissions,
  clients: Clients,
): void {
  const all = () => [anyone, ...clients.list()];
  const known = new Set<string>();
  const compare = () => {
    const held = new Set<string>();
    for (const client of all()) {
      const fingerprint = clients.fingerprint(client);
      for (const permission of permissions.of(client)) {
        held.add(permission.id);
        if (known.has(permission.id)) continue;
        known.add(permission.id);
        const granted: SharedGrant = { client: client.name, fingerprint, permission };
        cluster.shared.put("permissions", permission.id, granted);
      }
    }
    for (const id of [...known]) {
      if (held.has(id)) continue;
      known.delete(id);
      const before = cluster.shared.get("permissions", id) as SharedGrant | undefined;
      if (before?.permission === undefined) continue;
      const { client, fingerprint } = before;
      cluster.shared.put("permissions", id, { client, fingerprint } satisfies SharedGrant);
    }
  };
  cluster.shared.follow("permissions", {
    set(id, value) {
      const { client: name, fingerprint, permission } = value as SharedGrant;
      if (permission === undefined) {
        known.delete(id);
        permissions.revoke(id);
        return;
      }
      if (known.has(id) || permission.until <= Date.now()) return;
      const client = all().find((each) => each.name === name);
      if (client === undefined || clients.fingerprint(client) !== fingerprint) return;
      known.add(id);
      permissions.adopt(client, permission);
    },
  });
  permissions.subscribe(compare);
}

/** A computer that is approved anywhere is approved everywhere, until it is revoked anywhere. */
export function sharePairing(cluster: Cluster, pairing: Pairing, registry: Registry): void {
  const nameOf = ({ id }: SharedPairing) =>
    createHash("sha256").update(id).digest("base64url").slice(0, 27);
  cluster.shared.follow("paired", {
    set(_, value) {
      const shared = value as SharedPairing;
      if (!pairing.merge(shared)) {
        // A later decision of this bridge counts for all.
        const own = pairing.shared().find(({ id }) => id === shared.id);
        if (own !== undefined && decidedAt(own) > decidedAt(shared)) {
          cluster.shared.put("paired", nameOf(own), own);
        }
        return;
      }
      if (!("revokedAt" in shared)) return;
      registry.session(shared.key)?.close(LinkErrorCode.disconnected, REVOKED);
    },
    listed: () => {
      for (const each of pairing.shared()) {
        if (cluster.shared.get("paired", nameOf(each)) === undefined) {
          cluster.shared.put("paired", nameOf(each), each);
        }
      }
    },
  });
  pairing.onShared((changed) => cluster.shared.put("paired", nameOf(changed), changed));
}

const RATES_MS = 500;

/** Each bridge counts what the others have used up, half a second late: together they allow slightly more. */
export function shareRates(cluster: Cluster, rates: Rates, clients: Clients): () => void {
  rates.taken = new Map();
  const stop = cluster.listen("rates", {
    receive: (data) => {
      for (const [name, count] of Object.entries(data as Record<string, number>)) {
        rates.takeElsewhere(name, count, [anyone, ...clients.list()]);
      }
    },
  });
  const timer = setInterval(() => {
    const { taken } = rates;
    if (taken === undefined || taken.size === 0) return;
    rates.taken = new Map();
    cluster.broadcast("rates", Object.fromEntries(taken));
  }, RATES_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    stop();
  };
}
