import {
  isComputer,
  type Origin,
  type Provider,
  printable,
  type RegistryChange,
} from "@ccbridge/registry";
import type { PeerLog } from "./peer-log.js";

export function logChange(log: PeerLog, change: RegistryChange): void {
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
          "a tool of this computer is not usable",
        );
      }
      return;
    }
    case "events":
      return;
  }
}

/** A page may be named after any site, so each line names the kind of provider. */
function nounOf({ provider }: { provider: Provider }): string {
  if (isComputer(provider)) return "computer";
  return provider.kind === "minecraft" ? "server" : provider.kind;
}

function about({ provider, origin }: { provider: Provider; origin: Origin }) {
  const { address } = origin;
  if (!isComputer(provider)) return { provider: provider.name, address };
  const { computerId, label, world } = provider;
  return { computer: computerId, label, ...(world === null ? {} : { world }), address };
}
