import { isComputer, type Provider } from "@ccbridge/registry";
import { z } from "zod";
import { ReturnsSchema } from "../../../format/lua-value.js";
import { JobStateSchema } from "../../../jobs/report.js";

export const jobProviderShape = {
  computerId: z.int().optional(),
  label: z.string().nullable().optional(),
  provider: z.string().optional().describe("What it runs on, if not a computer."),
};

export function jobProvider(provider: Provider): z.infer<z.ZodObject<typeof jobProviderShape>> {
  return isComputer(provider)
    ? { computerId: provider.computerId, label: provider.label }
    : { provider: provider.name };
}

export const JobReportSchema = z.object({
  ...jobProviderShape,
  jobId: z.string().optional().describe("Absent when nothing was started."),
  state: JobStateSchema.optional(),
  ok: z
    .boolean()
    .describe("False when it failed or was stopped. `state` says whether it is still running."),
  output: z.string().describe("What the code printed and wrote, from the cursor on."),
  cursor: z.int().optional().describe("Pass this to get-job for later output."),
  returns: ReturnsSchema,
  note: z.string().optional().describe("Anything else to know about the job."),
  error: z
    .object({ code: z.string(), message: z.string(), hint: z.string() })
    .optional()
    .describe("What went wrong, and what to do next."),
});
