import { printable } from "@ccbridge/registry";
import { z } from "zod";
import { nearestName } from "../format/nearest-name.js";
import { defineTool } from "../tool/define.js";
import { ToolError } from "../tool/errors.js";
import { timeoutMs, waitMs } from "../tool/times.js";

export const callOfferedTool = defineTool({
  name: "call-offered-tool",
  title: "Call a tool of the game",
  description:
    "Calls a tool that a computer in the game or a web page offers, as list-offered-tools shows it, whether or not your " +
    "own list of tools has it. It runs as a job: one that outlasts waitMs goes on, and get-job follows it. " +
    "What it does is real and cannot be undone.",
  input: z.object({
    name: z.string().min(1).max(200).describe("The tool's name, as list-offered-tools gives it."),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("Its arguments by name, as list-offered-tools describes them."),
    waitMs: waitMs.describe(
      "How long to wait for the end before returning with the job's id, in milliseconds, at most " +
        "50000. Default: the bridge's setting, 30000.",
    ),
    timeoutMs: timeoutMs.describe(
      "Stop it in the game at this age, in milliseconds. Default: never.",
    ),
  }),
  // No output schema: a web page answers in a form of its own, which no schema foresees.
  async handler({ name, arguments: args, ...times }, context) {
    const { offered, providers } = context;
    const found = await offered.find(name, providers);
    if (found !== undefined) return found.call(args, context, times);
    const { tools } = await offered.list(providers);
    const names = tools.map((tool) => tool.name);
    const close = nearestName(name, names);
    throw new ToolError(
      `No computer offers a tool "${printable(name).slice(0, 64)}" now. ` +
        (close === undefined
          ? names.length === 0
            ? "None offers any."
            : `Offered are ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", ..." : ""}.`
          : `Did you mean ${close}?`),
      "Nothing was done. Tools come and go with the computers that offer them: call list-offered-tools.",
    );
  },
});
