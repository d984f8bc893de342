import type { FleetRow } from "@ccbridge/protocol/dashboard";
import {
  type Departure,
  isComputer,
  isPage,
  isServer,
  type Provider,
  type ProviderPort,
} from "@ccbridge/registry";

/** The tools that list providers. What a client may not list is not in its fleet either. */
export const listingTools = ["list-computers", "list-servers", "list-offered-tools"] as const;

/** The tool that shows a provider to a client. */
export function listedBy(provider: Provider): (typeof listingTools)[number] {
  if (isServer(provider)) return "list-servers";
  return isPage(provider) ? "list-offered-tools" : "list-computers";
}

export async function linkedRows(
  providers: ProviderPort,
  isListed: (provider: Provider) => boolean,
): Promise<FleetRow[]> {
  const views = await providers.list();
  return views
    .filter(({ identity }) => isListed(identity))
    .map(({ identity, state, linkedAt, lastSeenAt, runningJobs }) => ({
      ...factsOf(identity),
      state,
      linkedAt,
      lastSeenAt,
      runningJobs,
    }));
}

export function awayRow({ identity, at }: Departure): FleetRow {
  return { ...factsOf(identity), state: "away", linkedAt: null, lastSeenAt: at, runningJobs: 0 };
}

function factsOf(provider: Provider) {
  const { key, name } = provider;
  if (isComputer(provider)) {
    const { computerId: id, label, world, computerKind: kind, advanced } = provider;
    return { key, name, kind, id, label, world, advanced };
  }
  const kind = isPage(provider) ? ("page" as const) : ("server" as const);
  const label = name.replace(/^(page|server) /, "");
  return { key, name, kind, id: null, label, world: null, advanced: null };
}
