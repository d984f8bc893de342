import type { JobSnapshot } from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { namesTargets } from "../../../core/targets.js";
import { quoted } from "../../../format/set-apart.js";

export const jobId = namesTargets(z.string().min(1), async (id, providers) => {
  const { key, provider } = (await providers.jobs.get(id)) ?? noSuchJob(id);
  return [{ key, name: provider.name }];
}).meta({ description: "From list-jobs, or the tool that started it.", obvious: true });

export async function findJob({ providers }: ToolContext, id: string): Promise<JobSnapshot> {
  return (await providers.jobs.get(id)) ?? noSuchJob(id);
}

export function noSuchJob(id: string): never {
  throw new ToolError(
    `There is no job ${quoted(id, 64)}. Finished jobs are forgotten after a while. One that still runs is known again once its computer is linked.`,
    "Call list-jobs to see which jobs exist; if the bridge has just restarted, call again in a few seconds.",
  );
}
