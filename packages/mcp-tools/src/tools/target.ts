import type { ComputerIdentity, ComputerTarget } from "@ccbridge/registry";
import { z } from "zod";

/** The arguments that say which computer is meant; spread into a tool's input. */
export const target = {
  computerId: z.int().nonnegative().describe("The id of the computer, as in list-computers."),
  world: z
    .string()
    .min(1)
    .optional()
    .describe("World name or instance, only needed when two computers have the same id."),
};

/** The computer of a link or a job, whatever else has its id. */
export function targetOf({ identity }: { identity: ComputerIdentity }): ComputerTarget {
  const { computerId, instance, world } = identity;
  return { computerId, world: instance ?? world ?? undefined };
}
