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
    .filter(({ identity }) => isListed(identity))
    .flatMap(({ identity, state, linkedAt, lastSeenAt, runningJobs }) => {
      const facts = factsOf(kinds, identity);
      return facts === undefined ? [] : { ...facts, state, linkedAt, lastSeenAt, runningJobs };
    });
}

export function awayRow(kinds: Kinds, { identity, at }: Departure): FleetRow | undefined {
  const facts = factsOf(kinds, identity);
  const away = { state: "away", linkedAt: null, lastSeenAt: at, runningJobs: 0 } as const;
  return facts && { ...facts, ...away };
}

function factsOf(kinds: Kinds, provider: Provider) {
  const { key, name, kind } = provider;
  const facts = kinds.get(kind)?.dashboardFacts?.(provider);
  return facts && { key, name, ...facts };
}
