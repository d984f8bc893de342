import type { PortChange, ProviderPort } from "./port.js";
import type { Stop } from "./watchers.js";

export async function subscribeAll(
  ports: readonly ProviderPort[],
  listener: (change: PortChange) => void,
  filter?: Parameters<ProviderPort["changes"]["subscribe"]>[1],
): Promise<Stop> {
  const stops = await Promise.all(ports.map(({ changes }) => changes.subscribe(listener, filter)));
  return () => {
    for (const stop of stops) stop();
  };
}
