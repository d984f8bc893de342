import type { FleetRow } from "@ccbridge/protocol/dashboard";
import { isComputer, type Provider, type ProviderPort } from "@ccbridge/registry";
import type { Departure } from "./departures.js";

/** A row for everybody who is linked. */
export async function rowsOf(providers: ProviderPort): Promise<FleetRow[]> {
  const views = await providers.list();
  return views.map(({ identity, state, linkedAt, lastSeenAt, runningJobs }) => ({
    ...factsOf(identity),
    state,
    linkedAt,
    lastSeenAt,
    runningJobs,
  }));
}

/** A row for somebody who left. */
export function awayRow({ provider, at }: Departure): FleetRow {
  return { ...factsOf(provider), state: "away", linkedAt: null, lastSeenAt: at, runningJobs: 0 };
}

function factsOf(provider: Provider) {
  const { key, name } = provider;
  if (isComputer(provider)) {
    const { computerId: id, label, world, computerKind: kind, advanced } = provider;
    return { key, name, kind, id, label, world, advanced };
  }
  const kind = provider.kind === "page" ? ("page" as const) : ("server" as const);
  const label = name.replace(/^(page|server) /, "");
  return { key, name, kind, id: null, label, world: null, advanced: null };
}
