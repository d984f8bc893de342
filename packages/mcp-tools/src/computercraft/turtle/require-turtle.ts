import type { ComputerView } from "@ccbridge/registry";
import { ToolError } from "../../tool/errors.js";

/** Says right away that a computer cannot move, instead of blaming its agent. */
export function requireTurtle(computer: ComputerView): void {
  if (computer.identity.computerKind === "turtle") return;
  throw new ToolError(
    `${computer.name} is not a turtle but a ${computer.identity.computerKind === "command" ? "command computer" : computer.identity.computerKind}: it cannot move.`,
    "Call list-computers to find a turtle.",
  );
}
