import { z } from "zod";
import { readOnly } from "../core/annotations.js";
import { defineTool } from "../core/define.js";
import { waitMs } from "../core/times.js";
import { jobId, noSuchJob } from "./find.js";
import { reportProgress } from "./progress.js";
import { JobReportSchema, jobOutcome, outputPage, pageFrom } from "./report.js";

export const getJob = defineTool({
  name: "get-job",
  title: "Follow a job",
  description:
    "Waits until a job (exec-lua, run-program, turtle-run, an offered tool) ends or waitMs is up. " +
    "Shows its state, its output from the cursor on, and its result.",
  input: z.object({
    jobId,
    cursor: z
      .int()
      .nonnegative()
      .default(0)
      .describe("Show output from here on: the cursor of the last answer."),
    waitMs: waitMs.describe("Wait up to this long for its end. Default: 0, at most 50000."),
    untilOutput: z.boolean().default(false).describe("Return at the first new output."),
  }),
  output: JobReportSchema,
  annotations: readOnly,
  async handler({ jobId, cursor, waitMs = 0, untilOutput }, context) {
    const { jobs } = context.providers;
    const progress = reportProgress(jobs, { id: jobId, cursor }, context.progress);
    const waiting = {
      timeoutMs: waitMs,
      signal: context.gone ?? context.signal,
      ...(untilOutput ? { cursor } : {}),
    };
    const reading = await jobs.read(jobId, pageFrom(cursor), waiting);
    progress.end();
    if (reading === undefined) return noSuchJob(jobId);
    return jobOutcome(reading.job, outputPage(reading), context.settings);
  },
});
