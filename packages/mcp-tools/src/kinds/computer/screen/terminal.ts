import type { ComputerSelector } from "@ccbridge/registry";
import { findComputer } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { type Computer, computerOf } from "../computer.js";
import { findRunningProgram, programName } from "./program.js";

/** A running program's terminal, or the prompt shared with a player. */
export interface Terminal {
  computer: Computer;
  /** Absent for the shared prompt, and where the computer chooses its newest program. */
  job: string | undefined;
  name: string;
}

export async function findTerminal(
  context: ToolContext,
  tool: string,
  { jobId, computerId }: { jobId?: string | undefined; computerId?: ComputerSelector | undefined },
): Promise<Terminal> {
  if (jobId !== undefined) {
    const job = await findRunningProgram(context, jobId);
    return { computer: computerOf(job), job: job.id, name: lowerFirst(programName(job)) };
  }
  if (computerId !== undefined) {
    const computer = await findComputer(context.providers, computerId);
    return { computer, job: undefined, name: `the shared prompt of ${computer.name}` };
  }
  throw new ToolError(
    `${tool} needs a jobId or a computerId.`,
    "Call it with the jobId from run-program (list-jobs shows the jobs), or with the computerId of a computer whose player shares its prompt.",
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
