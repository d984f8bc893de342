import { findComputer, type JobFailure } from "@ccbridge/registry";
import { z } from "zod";
import { defineTool } from "../../../core/define.js";
import { cutEnd } from "../../../format/text.js";
import { jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { requireMethod } from "../ask.js";
import { target } from "../computer.js";
import { JobReportSchema } from "../jobs/report.js";

export const moveItems = defineTool({
  name: "move-items",
  title: "Move items",
  description:
    "Moves items between the inventories that a computer can reach, and says how many came from " +
    "where. It fails if fewer than `count` could be moved.",
  input: z.object({
    ...target,
    item: z.string().min(1).max(200).describe("Its name, such as iron_ingot; * matches anything."),
    to: z.string().min(1).max(200).describe("The inventory's name, as list-inventory shows it."),
    from: z
      .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(200)])
      .optional()
      .describe("One or several inventories. Default: all others."),
    count: z.int().min(1).max(1_000_000).optional().describe("How many. Default: all."),
  }),
  output: JobReportSchema,
  async handler({ computerId, item, to, from, count }, context) {
    const computer = await findComputer(context.providers, computerId);
    requireMethod(context, computer, "move-items");
    const params = {
      item,
      to,
      ...(from === undefined ? {} : { from }),
      ...(count === undefined ? {} : { count }),
    };
    const reading = await runJob(context, computer.key, {
      method: "move-items",
      params,
      summary: cutEnd(`move-items: ${count ?? "all"} ${item} to ${to}`, 80),
      onFailure: stopped,
    });
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  },
});

const stopped: JobFailure = {
  code: "not-moved",
  hint: "Call list-inventory to see what is where, and where there is space.",
};
