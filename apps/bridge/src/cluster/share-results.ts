import type { Cluster, Operations } from "@ccbridge/cluster";
import type { KeptResults } from "../calls/kept-results.js";

const ASK_MS = 5_000;

export function resultOperations(results: KeptResults): Operations {
  return {
    "results.read": ({ client, id }: { client: string; id: string }) => results.ownOf(client, id),
  };
}

/** A long result is read on through any bridge: the one that has it is asked for it. */
export function shareResults(cluster: Cluster, results: KeptResults): void {
  results.elsewhere = async (client, id) => {
    const bridges = cluster.directory.others();
    const ask = (bridge: string) => cluster.ask(bridge, "results.read", { client, id }, ASK_MS);
    const answers = await Promise.all(bridges.map(ask));
    return answers.find((answer) => typeof answer === "string");
  };
}
