import { computerName, type Job, printable, waitForJob } from "@ccbridge/registry";
import { z } from "zod";
import { defineTool, type ToolContext, type ToolOutcome } from "../define-tool.js";
import { age, JobReportSchema, JobStateSchema, jobOutcome, outputPage } from "../format/job.js";
import { reportProgress } from "../progress.js";
import { ToolError } from "../run-tool.js";
import { waitMs } from "./wait.js";

const jobId = z
  .string()
  .min(1)
  .describe("The job's id, as the tool that started it or list-jobs gave it.");

/** The job with an id; throws when there is none. */
export function findJob({ registry }: ToolContext, id: string): Job {
  const job = registry.jobs.get(id);
  if (job !== undefined) return job;
  throw new ToolError(
    `There is no job "${printable(id).slice(0, 64)}". Finished jobs are forgotten after a while, and all when the bridge restarts.`,
    "Call list-jobs to see the jobs that are known.",
  );
}

export const getJob = defineTool({
  name: "get-job",
  title: "Follow a job",
  description:
    "Shows how a job (of exec-lua, run-program or turtle-run) stands: its state, its output from a cursor on, and its result " +
    "once it has ended. With waitMs it waits until there is new output or the job ends, so that a job can " +
    "be followed call by call: pass the cursor of the last answer each time. Reading does not disturb the " +
    "job, and several clients may follow one.",
  input: z.object({
    jobId,
    cursor: z
      .int()
      .nonnegative()
      .default(0)
      .describe("Show output from this position on; 0 is the beginning."),
    waitMs: waitMs.describe(
      "Wait up to this long for news, in milliseconds, at most 50000. Default: do not wait.",
    ),
  }),
  output: JobReportSchema,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ jobId, cursor, waitMs = 0 }, context) {
    const job = findJob(context, jobId);
    const news = () => job.ended || job.output.end > cursor;
    const progress = reportProgress(job, cursor, context.progress);
    await waitForJob(job, { until: news, timeoutMs: waitMs, signal: context.signal });
    progress.end();
    return jobOutcome(job, outputPage(job, cursor), context.settings);
  },
});

export const cancelJob = defineTool({
  name: "cancel-job",
  title: "Cancel a job",
  description:
    "Stops a job in the game and waits until the computer confirms it. What the code did before stays " +
    "done. If the computer does not confirm in time, the answer says so, and the code may still run.",
  input: z.object({ jobId }),
  output: JobReportSchema,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
  },
  async handler({ jobId }, context) {
    const job = findJob(context, jobId);
    const { settings, signal, registry } = context;
    if (job.ended)
      return cancelled(job, `The job had already ended: it is ${job.state}.`, settings);
    registry.jobs.stop(job, "cancelled");
    if (!job.abilities.cancel && !job.ended) {
      throw new ToolError(
        `Job ${job.id} on computer ${computerName(job.identity)} cannot be cancelled: its agent is too old, and the code may still run.`,
        `The player can stop it with Ctrl+T or a reboot. To update the agent: ${settings.linkCommand}`,
      );
    }
    await waitForJob(job, { until: () => job.ended, timeoutMs: settings.cancelGraceMs, signal });
    if (job.ended) return cancelled(job, `The job is ${job.state}.`, settings);
    const why = job.status.linked
      ? `The computer has not confirmed it within ${settings.cancelGraceMs} ms: the code may still run.`
      : "The link to the computer is down: it will be told to stop when it is back.";
    return cancelled(job, `The job was told to stop. ${why}`, settings);
  },
});

function cancelled(job: Job, text: string, settings: ToolContext["settings"]): ToolOutcome {
  const page = outputPage(job, Math.max(0, job.output.end - 2_000));
  const report = jobOutcome(job, page, settings);
  // A job that is cancelled now is a success of this tool, whatever it is for the job.
  const { isError: _, ...outcome } = report;
  return { ...outcome, text: `${text}\n${report.text}` };
}

const JobLineSchema = z.object({
  jobId: z.string(),
  computerId: z.int(),
  label: z.string().nullable(),
  state: JobStateSchema,
  code: z.string().nullable().describe("The code, shortened; null for a job of an earlier bridge."),
  adopted: z.boolean().describe("Whether it was started through an earlier run of the bridge."),
  linked: z.boolean().describe("Whether its computer is linked now."),
  created: z.string(),
  started: z.string().nullable(),
  ended: z.string().nullable(),
  outputLength: z.int().describe("Characters printed so far."),
});

type JobLine = z.infer<typeof JobLineSchema>;

export const listJobs = defineTool({
  name: "list-jobs",
  title: "List jobs",
  description:
    "Lists the jobs of exec-lua, run-program and turtle-run, newest first: those that run or wait, and the last finished " +
    "ones. Narrow it down by computer or by state.",
  input: z.object({
    computerId: z.int().nonnegative().optional().describe("Only jobs of this computer."),
    state: JobStateSchema.optional().describe("Only jobs in this state."),
    offset: z.int().nonnegative().default(0).describe("Skip this many jobs."),
    limit: z.int().min(1).max(50).default(20).describe("List at most this many."),
  }),
  output: z.object({ total: z.int(), offset: z.int(), jobs: z.array(JobLineSchema) }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, state, offset, limit }, { registry }) {
    const matching = registry.jobs
      .list()
      .filter((job) => computerId === undefined || job.identity.computerId === computerId)
      .filter((job) => state === undefined || job.state === state)
      .reverse();
    const shown = matching.slice(offset, offset + limit);
    const rest = matching.length - offset - shown.length;
    const lines = shown.map(line);
    if (matching.length === 0) lines.push("No jobs.");
    if (rest > 0) lines.push(`${rest} more: call list-jobs with offset ${offset + shown.length}.`);
    return {
      text: lines.join("\n"),
      structured: { total: matching.length, offset, jobs: shown.map(facts) },
    };
  },
});

function line(job: Job): string {
  const { id, state, identity, summary, adopted, status } = job;
  const doubt = !job.ended && !status.linked ? ", link down" : "";
  const stopping = !job.ended && status.stopping !== undefined ? ", told to stop" : "";
  const what = summary ?? (adopted ? "(started through an earlier run of the bridge)" : "");
  return `${id} ${state}${doubt}${stopping} on ${computerName(identity)}, ${age(job)}: ${what}`;
}

function facts(job: Job): JobLine {
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    jobId: job.id,
    computerId: job.identity.computerId,
    label: job.identity.label,
    state: job.state,
    code: job.summary,
    adopted: job.adopted,
    linked: job.status.linked,
    created: new Date(job.createdAt).toISOString(),
    started: iso(job.startedAt),
    ended: iso(job.endedAt),
    outputLength: job.output.end,
  };
}
