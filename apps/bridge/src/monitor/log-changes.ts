import type { Kinds } from "@ccbridge/mcp-tools";
import {
  type Origin,
  type Provider,
  printable,
  type Registry,
  type RegistryChange,
} from "@ccbridge/registry";
import type { PeerLog } from "./peer-log.js";

export function logChanges({ changes }: Registry, kinds: Kinds, log: PeerLog): void {
  changes.subscribe((change) => logChange(log, kinds, change), {
    topics: ["linked", "unlinked", "state", "tools", "refused", "problem", "debug"],
  });
}

function logChange(log: PeerLog, kinds: Kinds, change: RegistryChange): void {
  // A page may have any site as its name, so each line says what kind of provider it is about.
  const nounOf = ({ provider }: { provider: Provider }) => kinds.nounOf(provider);
  const about = ({ provider, origin }: { provider: Provider; origin: Origin }) => ({
    ...(kinds.get(provider.kind)?.logFacts?.(provider) ?? { provider: provider.name }),
    address: origin.address,
  });
  switch (change.topic) {
    case "linked":
      return log.info(
        about(change),
        `${nounOf(change)} ${change.again ? "sent another hello" : "linked"}`,
      );
    case "unlinked":
      return log.info({ ...about(change), reason: change.reason }, `${nounOf(change)} unlinked`);
    case "state":
      return change.state === "live"
        ? log.info(about(change), `${nounOf(change)} answers again`)
        : log.warn(about(change), `${nounOf(change)} unresponsive`);
    case "refused":
      return log.warn({ address: change.origin.address, reason: change.reason }, "link refused");
    case "problem":
      return log.warn(
        { address: change.origin.address, reason: change.reason },
        "bad frame; further ones on this connection are not logged",
      );
    case "debug":
      return log.debug({ address: change.origin.address, detail: change.reason }, "link");
    case "tools": {
      const { origin, broken } = change;
      if (origin === undefined) return;
      for (const { file, problem } of broken) {
        const facts = { ...about({ ...change, origin }), file: printable(file) };
        log.warn(
          { ...facts, problem: printable(problem) },
          `a tool of this ${nounOf(change)} is not usable`,
        );
      }
      return;
    }
    case "events":
      return;
  }
}
