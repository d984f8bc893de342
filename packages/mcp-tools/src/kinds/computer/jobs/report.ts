import { ResponseError } from "@ccbridge/protocol";
import {
  computerName,
  isComputer,
  type JobFailure,
  type JobSnapshot,
  type Provider,
} from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import type { JobWords } from "../../../core/kind.js";
import { namesTargets } from "../../../core/targets.js";
import { ReturnsSchema } from "../../../format/lua-value.js";
import { quoted } from "../../../format/set-apart.js";
import { JobStateSchema } from "../../../jobs/report.js";
import { UNLOCK } from "../request.js";

export const jobId = namesTargets(z.string().min(1), async (id, providers) => {
  const { key, provider } = (await providers.jobs.get(id)) ?? noSuchJob(id);
  return [{ key, name: provider.name }];
}).meta({ description: "From list-jobs, or the tool that started it.", obvious: true });

const MAX_JOBS = 16;

/** One job, or several. */
export const jobIds = namesTargets(
  z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MAX_JOBS)]),
  async (ids, providers) => {
    const jobs = await Promise.all(
      [ids].flat().map(async (id) => (await providers.jobs.get(id)) ?? noSuchJob(id)),
    );
    const byKey = new Map(jobs.map(({ key, provider }) => [key, provider.name]));
    return [...byKey].map(([key, name]) => ({ key, name }));
  },
);

export async function findJob({ providers }: ToolContext, id: string): Promise<JobSnapshot> {
  return (await providers.jobs.get(id)) ?? noSuchJob(id);
}

export function noSuchJob(id: string): never {
  throw new ToolError(
    `There is no job ${quoted(id, 64)}. Finished jobs are forgotten after a while. One that still runs is known again once its computer is linked.`,
    "Call list-jobs to see which jobs exist; if the bridge has just restarted, call again in a few seconds.",
  );
}

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

export const luaFailure: JobFailure = {
  code: "lua-error",
  hint: "The code stopped there; what it did before that is done. Correct it and call exec-lua again.",
};

export const jobWords: JobWords = {
  onFailure: luaFailure,
  onToolFailure: {
    code: "tool-error",
    hint: "The tool stopped there; what it did before that is done. It is a program on that computer: correct the arguments, or read and fix the program.",
  },
  explainError({ provider, method }, error, { code, hint }) {
    if (isComputer(provider) && provider.allow !== null && !provider.methods.includes(method)) {
      return { code: "locked", hint: `Nothing ran. ${UNLOCK}` };
    }
    if (code !== luaFailure.code) return { code, hint };
    if (error.startsWith(ResponseError.syntax)) {
      return { code: "syntax-error", hint: "Correct the code and call exec-lua again." };
    }
    const isTurtle = !isComputer(provider) || provider.computerKind === "turtle";
    if (isTurtle || !/'turtle' \(a nil value\)/.test(error)) return { code, hint };
    return {
      code,
      hint: `This computer is not a turtle, and only turtles have \`turtle\`: list-computers shows the turtles. ${hint}`,
    };
  },
  explainUnknownMethod: ({ provider, method }, { linkCommand }) => ({
    message: `The agent on computer ${computerName(provider)} does not support ${method || "exec-lua"}.`,
    hint: `It is too old. Ask the player to update mcp-computer by typing this on it: ${linkCommand}`,
  }),
  cannotStop:
    "The code may still be running in the game: this computer's agent cannot cancel it. Check what it did before you run it again; the player can stop it with Ctrl+T or a reboot, and a newer mcp-computer can cancel jobs.",
  outputHasReturns: (method) => method === "turtle-run" || method === "move-items",
  showOutput(method, output) {
    if (method !== "run-program") return output;
    // A program's output ends with its screen, which is mostly blank.
    const dense = (text: string) => text.replace(/\n{3,}/g, "\n\n");
    return { ...output, head: dense(output.head), tail: dense(output.tail) };
  },
  nextStep({ id, method, state }) {
    if (method !== "run-program" || state !== "running") return undefined;
    // A program mostly waits for input.
    const see = `read-screen ${JSON.stringify({ jobId: id })}`;
    return `If it waits for input, use send-input with this jobId; see its screen again with ${see}; wait for its end with get-job, or stop it with cancel-job.`;
  },
  cutValue(rest) {
    const part =
      rest === undefined
        ? "return part of it, such as one key"
        : `return value:sub(${rest}) for the rest`;
    return `${part}, or write it to a file and use read-file`;
  },
};
