import type { FleetRow } from "@ccbridge/protocol/dashboard";

const words = { live: "live", unresponsive: "not answering", away: "away" } as const;

export function State({ state }: { state: FleetRow["state"] }) {
  return <span class={`state ${state}`}>{words[state]}</span>;
}
