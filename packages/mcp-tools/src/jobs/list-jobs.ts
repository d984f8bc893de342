import {
  type ComputerSelector,
  computerName,
  findComputer,
  type JobSummary,
  matchesSelector,
  type ProviderPort,
} from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../core/annotations.js";
import { computerId } from "../core/computer-id.js";
import { defineTool } from "../core/define.js";
import { limitOf, offsetOf } from "../core/paging.js";
import { afterBar } from "../format/set-apart.js";
import { providerFacts, providerShape } from "./provider-facts.js";
import { age, JobStateSchema } from "./report.js";

const JobLineSchema = z.object({
  jobId: z.string(),
  ...providerShape,
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
    computerId: computerId.optional().describe("Only jobs on this computer: its id or label."),
    state: JobStateSchema.optional().describe("Only jobs in this state."),
    offset: offsetOf("jobs"),
    limit: limitOf(50, 20),
  }),
  output: z.object({ total: z.int(), offset: z.int(), jobs: z.array(JobLineSchema) }),
  annotations: readOnly,
  async handler({ computerId, state, offset, limit }, { providers }) {
    const ofComputer = await jobsOf(providers, computerId);
    const matching = ofComputer
      .filter((job) => state === undefined || job.state === state)
      .reverse();
    const shown = matching.slice(offset, offset + limit);
    const rest = matching.length - offset - shown.length;
    const lines = shown.map(line);
    if (matching.length === 0) lines.push("No jobs.");
    if (rest > 0) lines.push(`${rest} more: call list-jobs with offset ${offset + shown.length}.`);
    return {
      text: lines.join("\n"),
      structured: () => ({ total: matching.length, offset, jobs: shown.map(facts) }),
    };
  },
});

/** Throws when the computer is unknown or ambiguous. */
async function jobsOf(
  providers: ProviderPort,
  computerId: ComputerSelector | undefined,
): Promise<readonly JobSummary[]> {
  const all = await providers.jobs.list();
  if (computerId === undefined) return all;
  const matching = all.filter(({ identity }) => matchesSelector(computerId, identity));
  // Jobs outlive their computer's link.
  if (new Set(matching.map(({ key }) => key)).size === 1) return matching;
  const { key } = await findComputer(providers, computerId);
  return matching.filter((job) => job.key === key);
}

function line(job: JobSummary): string {
  const { id, state, identity, summary, adopted } = job;
  const doubt = !job.ended && !job.linked ? ", link down" : "";
  const stopping = !job.ended && job.stopping !== undefined ? ", told to stop" : "";
  const origin = adopted ? ", started through an earlier run of the bridge" : "";
  const what = summary === null ? "" : ` ${afterBar(summary)}`;
  return `${id} ${state}${doubt}${stopping} on ${computerName(identity)}, ${age(job)}${origin}${what}`;
}

function facts(job: JobSummary): JobLine {
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    jobId: job.id,
    ...providerFacts(job.identity),
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
