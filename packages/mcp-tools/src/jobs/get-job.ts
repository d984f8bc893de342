import { z } from "zod";
import { readOnly } from "../tool/annotations.js";
import { defineTool } from "../tool/define.js";
import { waitMs } from "../tool/times.js";
import { jobId, noSuchJob } from "./find.js";
import { reportProgress } from "./progress.js";
import { JobReportSchema, jobOutcome, outputPage, pageFrom } from "./report.js";

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
  annotations: readOnly,
  async handler({ jobId, cursor, waitMs = 0 }, context) {
    const { jobs } = context.providers;
    const progress = reportProgress(jobs, { id: jobId, cursor }, context.progress);
    const waiting = { cursor, timeoutMs: waitMs, signal: context.gone ?? context.signal };
    const reading = await jobs.read(jobId, pageFrom(cursor), waiting);
    progress.end();
    if (reading === undefined) return noSuchJob(jobId);
    return jobOutcome(reading.job, outputPage(reading), context.settings);
  },
});
