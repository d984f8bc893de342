import { LinkError, LinkErrorCode, type Provider } from "@ccbridge/registry";
import { type CallError, CallProblem } from "./caller.js";

export interface Naming {
  nameOf(bridge: string): string;
  /** Why there is no connection to other bridges now. */
  trouble(): string | undefined;
}

/** Says what happened, and whether it may have run. The provider itself is not to blame. */
export function explained(
  { problem, bridge }: CallError,
  options: Naming,
  { name }: Provider,
): LinkError {
  const where = `the bridge ${options.nameOf(bridge)}`;
  switch (problem) {
    case CallProblem.alone:
      return new LinkError(
        LinkErrorCode.notLinked,
        `${name} is linked to ${where}, and this bridge has lost its connection to the others (${options.trouble() ?? "NATS is not reachable"}). Nothing was run.`,
      );
    case CallProblem.absent:
      return new LinkError(
        LinkErrorCode.notLinked,
        `No bridge has ${name} now: ${where}, to which it was linked, is gone. Nothing was run.`,
      );
    case CallProblem.slow:
      return new LinkError(
        LinkErrorCode.timedOut,
        `${where[0]?.toUpperCase()}${where.slice(1)}, to which ${name} is linked, is slow: no answer came in time. It may have run.`,
      );
    case CallProblem.gone:
      return new LinkError(
        LinkErrorCode.disconnected,
        `${where[0]?.toUpperCase()}${where.slice(1)}, to which ${name} was linked, went away while it ran. It may have run.`,
      );
  }
}
