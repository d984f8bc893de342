import type { Kinds } from "@ccbridge/mcp-tools";
import type { FleetRow } from "@ccbridge/protocol/dashboard";
import type { Departure, Provider, ProviderPort } from "@ccbridge/registry";

export async function linkedRows(
  kinds: Kinds,
  providers: ProviderPort,
  isListed: (provider: Provider) => boolean,
): Promise<FleetRow[]> {
  const views = await providers.list();
  return views
    .filter(({ provider }) => isListed(provider))
    .map(({ provider, state, linkedAt, lastSeenAt, runningJobs }) => ({
      ...factsOf(kinds, provider),
      ...{ state, linkedAt, lastSeenAt, runningJobs },
    }));
}

export function awayRow(kinds: Kinds, { provider, at }: Departure): FleetRow {
  const away = { state: "away", linkedAt: null, lastSeenAt: at, runningJobs: 0 } as const;
  return { ...factsOf(kinds, provider), ...away };
}

function factsOf(kinds: Kinds, provider: Provider) {
  const { key, name } = provider;
  return { key, name, program: null, lock: null, ...kinds.dashboardFacts(provider) };
}
