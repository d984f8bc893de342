import type { ComputerView } from "@ccbridge/registry";
import { ToolError } from "../../../core/errors.js";

/** Without this check the error would blame the agent's version. */
export function requireTurtle(computer: ComputerView): void {
  if (computer.identity.computerKind === "turtle") return;
  throw new ToolError(
    `${computer.name} is not a turtle but a ${computer.identity.computerKind === "command" ? "command computer" : computer.identity.computerKind}: it cannot move.`,
    "Call list-computers to find a turtle.",
  );
}
