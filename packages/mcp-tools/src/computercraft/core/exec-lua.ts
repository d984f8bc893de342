import type { MethodParams } from "@ccbridge/protocol";
import { findComputer, printable } from "@ccbridge/registry";
import { z } from "zod";
import { cutEnd } from "../../format/text.js";
import { luaFailure } from "../../jobs/explain.js";
import { JobReportSchema, jobOutcome, wholeOutput } from "../../jobs/report.js";
import { runJob } from "../../jobs/run.js";
import { acts } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { timeoutMs, waitMs } from "../../tool/times.js";
import { target } from "../computer.js";

export const execLua = defineTool({
  name: "exec-lua",
  title: "Run Lua on a computer",
  description:
    "Runs Lua on a computer or turtle in Minecraft and returns what it printed and returned. The " +
    "code may use fs, peripheral, redstone, turtle (on turtles), commands (on command computers), " +
    "shell, textutils, os, http. An expression returns its value, statements use `return`. Globals " +
    "do not last from call to call. Code that outlasts waitMs goes on as a job: follow it with " +
    "get-job, stop it with cancel-job. What it does is real and cannot be undone.",
  input: z.object({
    ...target,
    code: z
      .string()
      .min(1)
      .describe('Lua source, for example `return turtle.getFuelLevel()` or `print("hi")`.'),
    waitMs: waitMs.describe(
      "How long to wait for the end, in milliseconds. Default: 30000, at most 50000.",
    ),
    timeoutMs: timeoutMs.describe(
      "Stop the code in the game at this age, in milliseconds. Default: never.",
    ),
  }),
  output: JobReportSchema,
  annotations: acts,
  async handler({ computerId, code, waitMs, timeoutMs }, context) {
    const { key } = await findComputer(context.providers, computerId);
    const params: MethodParams<"exec-lua"> = { code };
    const reading = await runJob(context, key, {
      method: "exec-lua",
      params,
      summary: cutEnd(printable(code).trim(), 80),
      onFailure: luaFailure,
      waitMs,
      timeoutMs,
    });
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  },
});
