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
    .flatMap(({ provider, state, linkedAt, lastSeenAt, runningJobs }) => {
      const facts = factsOf(kinds, provider);
      return facts === undefined ? [] : { ...facts, state, linkedAt, lastSeenAt, runningJobs };
    });
}

export function awayRow(kinds: Kinds, { provider, at }: Departure): FleetRow | undefined {
  const facts = factsOf(kinds, provider);
  const away = { state: "away", linkedAt: null, lastSeenAt: at, runningJobs: 0 } as const;
  return facts && { ...facts, ...away };
}

function factsOf(kinds: Kinds, provider: Provider) {
  const { key, name, kind } = provider;
  const facts = kinds.get(kind)?.dashboardFacts?.(provider);
  return facts && { key, name, ...facts };
}
