import {
  CallCancellation,
  type ComputerSelector,
  computerName,
  findComputer,
  type JobSnapshot,
  type JobSummary,
  linkedComputers,
  matchesSelector,
  type ProviderPort,
} from "@ccbridge/registry";
import { z } from "zod";
import { actsOnce, readOnly } from "../../../core/annotations.js";
import { limitOf, offsetOf, waitMs } from "../../../core/arguments.js";
import { reportWaiting } from "../../../core/call.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { afterBar } from "../../../format/set-apart.js";
import {
  ANSWER_LENGTH,
  cutEnd,
  OUTPUT_BYTES,
  pageOf,
  RETURNS_BYTES,
} from "../../../format/text.js";

import {
  ALL_OUTPUT,
  JobStateSchema,
  jobOutcome,
  outputPage,
  pageFrom,
  spanText,
  wholeOutput,
} from "../../../jobs/report.js";
import { reportProgress } from "../../../jobs/run.js";
import { askAbout, playersPrograms } from "../about.js";
import { computerId } from "../computer.js";
import { withOutputsLeftOn } from "./left-on.js";
import {
  findJob,
  JobReportSchema,
  jobIds,
  jobProvider,
  jobProviderShape,
  noSuchJob,
} from "./report.js";

const LIST_BYTES = 10_000;

const JobReportsSchema = JobReportSchema.partial().extend({
  jobs: z.array(JobReportSchema).optional().describe("For several jobs: each of them."),
});

export const getJob = defineTool({
  name: "get-job",
  title: "Follow a job",
  description:
    "Waits until a job (exec-lua, run-program, turtle-run, an offered tool) ends or waitMs is up. " +
    "Shows its state, its output from the cursor on, and its result.",
  input: z.object({
    jobId: jobIds.describe(
      "From list-jobs, or the tool that started it; or a list, to wait for all of them.",
    ),
    cursor: z
      .int()
      .nonnegative()
      .default(0)
      .describe("Show output from here on: the cursor of the last answer. For one job."),
    waitMs: waitMs.describe("Default: 0."),
    untilOutput: z.boolean().default(false).describe("Return at the first new output."),
  }),
  output: JobReportsSchema,
  annotations: readOnly,
  async handler({ jobId: wanted, cursor, waitMs = 0, untilOutput }, context) {
    const { jobs } = context.providers;
    if (typeof wanted !== "string") return getSeveral(wanted, { waitMs, untilOutput }, context);
    const jobId = wanted;
    const progress = reportProgress(jobs, { id: jobId, cursor }, context.progress);
    const waiting = {
      timeoutMs: waitMs,
      signal: context.gone ?? context.signal,
      ...(untilOutput ? { cursor } : {}),
    };
    const reading = await jobs.read(jobId, pageFrom(cursor), waiting);
    progress.end();
    if (reading === undefined) return noSuchJob(jobId);
    const outcome = jobOutcome(reading.job, outputPage(reading), context.settings);
    return withMore(context, reading.job, outcome);
  },
});

async function withMore(
  context: ToolContext,
  job: JobSnapshot,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const more = await withOutputsLeftOn(context, job, outcome);
  if (job.startedAt === undefined) return more;
  return {
    ...more,
    text: `${more.text}\n${job.ended ? "It ran" : "It has run"} ${spanText(job)}.`,
  };
}

/** Waits until all have ended, or one has new output. */
async function getSeveral(
  ids: readonly string[],
  { waitMs, untilOutput }: { waitMs: number; untilOutput: boolean },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { jobs } = context.providers;
  const { signal, gone = signal } = context;
  const found = await Promise.all(ids.map((id) => findJob(context, id)));
  const progress = reportWaiting(`still waiting for ${ids.length} jobs`, context.progress);
  const over = new CallCancellation();
  const end = () => over.abort();
  gone.addEventListener("abort", end);
  if (gone.aborted) end();
  await Promise.all(
    found.map(async ({ id, outputEnd, ended }) => {
      if (ended) return;
      const cursor = untilOutput ? { cursor: outputEnd } : {};
      const job = await jobs.wait(id, { timeoutMs: waitMs, signal: over, ...cursor });
      if (untilOutput && (job?.outputEnd ?? 0) > outputEnd) end();
    }),
  );
  gone.removeEventListener("abort", end);
  progress.end();
  const room = roomFor(ids);
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const reading = (await jobs.read(id, ALL_OUTPUT)) ?? noSuchJob(id);
      const returnsBytes = Math.max(60, Math.floor(RETURNS_BYTES / ids.length));
      const { job } = reading;
      const page = wholeOutput(reading, room);
      return withMore(context, job, jobOutcome(job, page, context.settings, returnsBytes));
    }),
  );
  return sumUp(ids, outcomes, context);
}

/** For the output of each of several jobs. */
function roomFor({ length }: readonly string[]): number {
  return Math.max(150, Math.floor(OUTPUT_BYTES / length));
}

async function sumUp(
  ids: readonly string[],
  outcomes: readonly ToolOutcome[],
  context: ToolContext,
): Promise<ToolOutcome> {
  const share = Math.floor(ANSWER_LENGTH / ids.length);
  const now = await Promise.all(ids.map((id) => findJob(context, id)));
  const open = now.filter(({ ended }) => !ended).length;
  const failed = outcomes.filter(({ isError }) => isError === true).length;
  return {
    text: [
      `${ids.length} jobs: ${ids.length - open} ended, ${failed} of them with an error; ${open} not yet.`,
      ...outcomes.map(({ text }, index) => `${ids[index]}: ${cutEnd(text, share)}`),
    ].join("\n"),
    structured: () => ({ jobs: outcomes.flatMap(({ structured }) => structured?.() ?? []) }),
  };
}

export const cancelJob = defineTool({
  name: "cancel-job",
  title: "Cancel a job",
  description:
    "Stops a job in the game, or a list of them, and waits until the computer confirms it. What the code " +
    "has already done stays done.",
  input: z.object({
    jobId: jobIds.meta({ description: "From list-jobs; or a list.", obvious: true }),
    cursor: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: "Show its output from this cursor on. For one job.", obvious: true }),
  }),
  output: JobReportsSchema,
  annotations: actsOnce,
  async handler({ jobId, cursor }, context) {
    if (typeof jobId === "string") return cancel(jobId, { cursor, room: 2_000 }, context);
    const ids = [...new Set(jobId)];
    // None is stopped if one is unknown.
    for (const id of ids) await findJob(context, id);
    const room = Math.min(2_000, roomFor(ids));
    const outcomes = ids.map((id) => cancel(id, { room }, context).catch(toOutcome));
    return sumUp(ids, await Promise.all(outcomes), context);
  },
});

function toOutcome(error: unknown): ToolOutcome {
  if (!(error instanceof ToolError)) throw error;
  return { text: `${error.message}\n${error.hint}`, isError: true };
}

interface Shown {
  readonly cursor?: number | undefined;
  /** Without a cursor, this much of the end. */
  readonly room: number;
}

async function cancel(jobId: string, shown: Shown, context: ToolContext): Promise<ToolOutcome> {
  const { settings, signal, gone = signal, providers } = context;
  const { jobs } = providers;
  const before = await findJob(context, jobId);
  if (before.ended) {
    return finalReport(context, before, shown, `It had already ended (${before.state}).`);
  }
  let job = (await jobs.stop(jobId)) ?? before;
  if (!job.abilities.cancel && !job.ended) {
    throw new ToolError(
      `Job ${job.id} on computer ${computerName(job.provider)} cannot be cancelled: its agent is too old, and the code may still be running.`,
      `The player can stop it with Ctrl+T or a reboot. To update the agent: ${settings.linkCommand}`,
    );
  }
  job = (await jobs.wait(jobId, { timeoutMs: settings.cancelGraceMs, signal: gone })) ?? job;
  if (job.ended) return finalReport(context, job, shown);
  const why = job.linked
    ? `The computer has not confirmed it within ${settings.cancelGraceMs} ms: the code may still be running.`
    : "The link to the computer is down: it will be told to stop when it is back.";
  return finalReport(context, job, shown, `The job was told to stop. ${why}`);
}

async function finalReport(
  context: ToolContext,
  job: JobSnapshot,
  { cursor, room }: Shown,
  news?: string,
): Promise<ToolOutcome> {
  const range = pageFrom(cursor ?? Math.max(0, job.outputEnd - room));
  const reading = (await context.providers.jobs.read(job.id, range)) ?? {
    job,
    output: { text: "", next: job.outputEnd, missed: 0 },
  };
  // For this tool a cancelled job is a success.
  const report = jobOutcome(reading.job, outputPage(reading), context.settings);
  const { isError: _, ...outcome } = await withOutputsLeftOn(context, reading.job, report);
  return news === undefined ? outcome : { ...outcome, text: `${news}\n${outcome.text}` };
}

const JobLineSchema = z.object({
  jobId: z.string(),
  ...jobProviderShape,
  state: JobStateSchema,
  code: z
    .string()
    .nullable()
    .describe("The code, shortened; null for a job from an earlier run of the bridge."),
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
  description: "Lists jobs, newest first: those running or waiting, and recently finished ones.",
  input: z.object({
    computerId: computerId
      .optional()
      .meta({ description: "Only jobs on this computer: its id or label.", obvious: true }),
    state: JobStateSchema.optional().meta({
      description: "Only jobs in this state.",
      obvious: true,
    }),
    offset: offsetOf("jobs"),
    limit: limitOf(50, 20),
  }),
  output: z.object({
    total: z.int(),
    offset: z.int(),
    jobs: z.array(JobLineSchema),
    others: z
      .array(
        z.object({
          computerId: z.int(),
          label: z.string().nullable(),
          programs: z.array(z.string()).nullable().describe("Null if they are not known."),
        }),
      )
      .optional()
      .describe("What players run, as far as the computers know."),
  }),
  annotations: readOnly,
  async handler({ computerId, state, offset, limit }, { providers }) {
    const ofComputer = await jobsOf(providers, computerId);
    const matching = ofComputer
      .filter((job) => state === undefined || job.state === state)
      .reverse();
    const shown = matching.slice(offset, offset + limit);
    const { items: lines } = pageOf(shown.map(jobLine), 0, LIST_BYTES);
    const end = offset + lines.length;
    const rest = matching.length - end;
    if (matching.length === 0) lines.push("No jobs.");
    const others = state === undefined ? await othersPrograms(providers, computerId) : [];
    if (rest > 0) lines.push(`${rest} more: call list-jobs with offset ${end}.`);
    if (others === undefined) {
      lines.push("What players run is not asked of so many computers: name one with computerId.");
    } else {
      lines.push(...othersLines(others));
    }
    return {
      text: lines.join("\n"),
      structured: () => ({
        ...{ total: matching.length, offset, jobs: shown.map(jobFacts) },
        ...(others?.length && { others }),
      }),
    };
  },
});

/** Each is asked, so that this is done for few. */
const MAX_ASKED = 16;

/** What players run; undefined when there are too many computers to ask. */
async function othersPrograms(providers: ProviderPort, computerId: ComputerSelector | undefined) {
  const linked = (await linkedComputers(providers)).filter(
    ({ provider }) => computerId === undefined || matchesSelector(computerId, provider),
  );
  if (linked.length > MAX_ASKED) return undefined;
  const asked = linked.map(async (view) => {
    const about = await askAbout(providers, view);
    const { computerId, label } = view.provider;
    const isKnown = about === undefined || about.tabs !== undefined || about.prompt !== undefined;
    const programs = isKnown ? playersPrograms(about) : null;
    return programs?.length === 0 ? [] : [{ computerId, label, programs }];
  });
  return (await Promise.all(asked)).flat();
}

function othersLines(others: NonNullable<Awaited<ReturnType<typeof othersPrograms>>>): string[] {
  const named = others.flatMap((each) =>
    each.programs === null ? [] : [`${computerName(each)}: ${each.programs.join(", ")}`],
  );
  const unknown = others.filter(({ programs }) => programs === null).map(computerName);
  return [
    ...(named.length === 0 ? [] : ["Started by players, not as jobs:", ...named]),
    ...(unknown.length === 0
      ? []
      : [
          `What the player runs is not known where there are no tabs and no shared screen: ${unknown.join(", ")}.`,
        ]),
  ];
}

/** Throws when the computer is unknown or ambiguous. */
async function jobsOf(
  providers: ProviderPort,
  computerId: ComputerSelector | undefined,
): Promise<readonly JobSummary[]> {
  const all = await providers.jobs.list();
  if (computerId === undefined) return all;
  const matching = all.filter(({ provider }) => matchesSelector(computerId, provider));
  // Jobs outlive their computer's link.
  if (new Set(matching.map(({ key }) => key)).size === 1) return matching;
  const { key } = await findComputer(providers, computerId);
  return matching.filter((job) => job.key === key);
}

function jobLine(job: JobSummary): string {
  const { id, state, provider, summary, adopted } = job;
  const doubt = !job.ended && !job.linked ? ", link down" : "";
  const stopping = !job.ended && job.stopping !== undefined ? ", told to stop" : "";
  const origin = !adopted
    ? ""
    : job.atBoot
      ? ", started at boot"
      : ", started through an earlier run of the bridge";
  const what = summary === null ? "" : ` ${afterBar(summary)}`;
  return `${id} ${state}${doubt}${stopping} on ${computerName(provider)}, ${spanText(job)}${origin}${what}`;
}

function jobFacts(job: JobSummary): JobLine {
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    jobId: job.id,
    ...jobProvider(job.provider),
    state: job.state,
    code: job.summary,
    adopted: job.adopted,
    linked: job.linked,
    created: new Date(job.createdAt).toISOString(),
    started: iso(job.startedAt),
    ended: iso(job.endedAt),
    outputLength: job.outputEnd,
  };
}
