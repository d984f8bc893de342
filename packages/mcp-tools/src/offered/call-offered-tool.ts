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
    "Calls a tool that list-offered-tools shows, whether or not your own list of tools has it. If" +
    " it outlasts waitMs, get-job follows it. What it does is real and cannot be undone.",
  input: z.object({
    name: z.string().min(1).max(200).describe("As list-offered-tools gives it."),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("As list-offered-tools describes them."),
    waitMs: waitMs.describe("Wait this long for the end. Default: 30000, at most 50000."),
    timeoutMs: timeoutMs.describe("Stop it at this age. Default: never."),
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
