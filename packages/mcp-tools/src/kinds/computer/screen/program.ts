import type { MethodResult, Screen } from "@ccbridge/protocol";
import {
  type ComputerSelector,
  computerName,
  findComputer,
  type JobSnapshot,
} from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline } from "../../../format/set-apart.js";
import { waitText } from "../../../jobs/report.js";
import { type Computer, computerOf } from "../computer.js";
import { findJob } from "../jobs/report.js";
import { quickly, requireMethod, resultOf } from "../request.js";

export interface Terminal {
  computer: Computer;
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
    return { computer, job: undefined, name: `the shared screen of ${computer.name}` };
  }
  throw new ToolError(
    `${tool} needs a jobId or a computerId.`,
    "Call it with the jobId from run-program (list-jobs shows the jobs), or with the computerId of a computer whose player shares its prompt.",
  );
}

/** Why an agent refuses when no job is named, in its words. */
const notShared = /^no prompt is shared|^no program of run-program|needs params\.job/;

export function isNotShared(problem: string): boolean {
  return notShared.test(problem);
}

/** The shared screen of a computer's player, or its newest program. */
export async function readOwnScreen(
  context: ToolContext,
  computer: Computer,
  colours: boolean,
): Promise<MethodResult<"read-screen">> {
  requireMethod(context, computer, "read-screen");
  const { key } = computer;
  const params = { colours };
  const response = await context.providers.request(key, "read-screen", params, quickly(context));
  if (!response.ok && isNotShared(response.error)) throw await notSharedError(context, computer);
  return resultOf(context, computer, "read-screen", response);
}

export async function notSharedError(context: ToolContext, computer: Computer): Promise<ToolError> {
  const last = await lastProgram(context, computer);
  const ended =
    last === undefined
      ? ""
      : ` The last screen of the program that ended there: read-screen ${JSON.stringify({ jobId: last.id })}.`;
  return new ToolError(
    `The player's own screen of ${computer.name} is not shared, and no program of run-program is running there.`,
    `Ask the player to type \`mcp-computer share\` there, or for every boot \`set mcp_computer.share true\` and then \`reboot\` (if mcp-computer starts at boot). run-program starts a program in a terminal that can be seen.${ended}`,
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export async function lastProgram(
  { providers }: ToolContext,
  { key }: Computer,
): Promise<JobSnapshot | undefined> {
  const newest = (await providers.jobs.list()).findLast(
    (job) => job.key === key && job.method === "run-program",
  );
  const job = newest?.ended === true ? await providers.jobs.get(newest.id) : undefined;
  return job !== undefined && screenOf(job) !== undefined ? job : undefined;
}

export function screenOf({ response }: JobSnapshot): Screen | undefined {
  return response?.result.screen;
}

export function lastScreen(job: JobSnapshot): Screen {
  const screen = screenOf(job);
  if (screen !== undefined) return screen;
  throw new ToolError(
    `Job ${job.id} on ${computerName(job.provider)} is ${job.state}, and its last screen is unknown.`,
    `Call get-job ${JSON.stringify({ jobId: job.id })} for what it printed, or run-program to start it again.`,
  );
}

export async function findProgram(context: ToolContext, jobId: string): Promise<JobSnapshot> {
  const job = await findJob(context, jobId);
  if (job.method !== "run-program" && !job.adopted) {
    throw new ToolError(
      `Job ${job.id} on ${computerName(job.provider)} has no screen: it is a job of ${job.method}.`,
      "Only programs that run-program started have one. Call get-job for the output of this job.",
    );
  }
  if (job.state === "queued") {
    throw new ToolError(
      `${programName(job)} has not started${waitText(job.waitsFor, "program")}.`,
      "Wait until it has, or end another one first; list-jobs shows them.",
    );
  }
  return job;
}

export function programName(job: JobSnapshot): string {
  return `The program of job ${job.id} on ${computerName(job.provider)}`;
}

export function howItEnded({ state, response }: JobSnapshot): string {
  if (state !== "failed" || response === undefined || response.ok) return state;
  return `failed: ${inline(response.error, 200)}`;
}

const END_WAIT_MS = 500;

/** The program has ended, but its response may still be on its way. */
export function endOf(
  { providers, signal }: ToolContext,
  job: string,
): Promise<JobSnapshot | undefined> {
  return providers.jobs.wait(job, { timeoutMs: END_WAIT_MS, signal });
}

async function findRunningProgram(context: ToolContext, jobId: string): Promise<JobSnapshot> {
  const job = await findProgram(context, jobId);
  if (!job.ended) return job;
  throw new ToolError(
    `${programName(job)} has ended (${howItEnded(job)}). Nothing was sent.`,
    "Call read-screen for its last screen, or run-program to start it again.",
  );
}
