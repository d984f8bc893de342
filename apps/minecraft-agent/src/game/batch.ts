import type { BatchResult, CommandPatterns, ToolArguments } from "@ccbridge/protocol/minecraft";
import { toRequestError } from "../errors.js";
import { executeCommand } from "./act.js";
import type { Game } from "./game.js";

/** Runs commands one after the other. The work ends early when `signal` aborts: the rest is reported as not run. */
export async function executeCommands(
  game: Game,
  patterns: CommandPatterns,
  { commands, stopOnFailure }: ToolArguments<"execute_commands">,
  signal: AbortSignal,
): Promise<BatchResult> {
  const results: BatchResult["results"] = [];
  let isStopped = false;
  for (const command of commands) {
    if (isStopped || signal.aborted) break;
    try {
      results.push(await executeCommand(game, patterns, { command }));
    } catch (error) {
      const { code, message } = toRequestError(error);
      results.push({ success: false, code, error: message });
      isStopped = stopOnFailure;
    }
  }
  const ran = results.length;
  const error = `Not run: ${isStopped ? "an earlier command failed" : "the time was up"}.`;
  while (results.length < commands.length) results.push({ success: false, error });
  return { ran, results };
}
