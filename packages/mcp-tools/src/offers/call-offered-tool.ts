import { z } from "zod";
import { defineTool } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import { timeoutMs, waitMs } from "../core/times.js";
import { nearestName } from "../format/nearest-name.js";
import { quoted } from "../format/set-apart.js";

export const callOfferedTool = defineTool({
  name: "call-offered-tool",
  title: "Call an offered tool",
  description:
    "Calls a tool that list-offered-tools shows, whether or not your own list has it. If it outlasts " +
    "waitMs, follow it with get-job. What it does is real and cannot be undone.",
  input: z.object({
    name: z.string().min(1).max(200).describe("As shown by list-offered-tools."),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("As described by list-offered-tools."),
    waitMs: waitMs.describe("Wait up to this long for the end. Default: 30000, at most 50000."),
    timeoutMs: timeoutMs.describe("Stop it after this long. Default: never."),
  }),
  // No output schema: a web page answers in its own form, which no schema can describe.
  async callsAnother({ name, arguments: args, ...times }, { offered, providers }) {
    const found = await offered.find(name, providers);
    if (found !== undefined) return found.read(args, times);
    const { tools } = await offered.list(providers);
    const names = tools.map((tool) => tool.name);
    const close = nearestName(name, names);
    throw new ToolError(
      `No computer offers a tool ${quoted(name, 64)} now. ` +
        (close === undefined
          ? names.length === 0
            ? "No tools are offered."
            : `The offered tools are ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", ..." : ""}.`
          : `Did you mean ${close}?`),
      "Nothing was done. Tools come and go with the computers that offer them: call list-offered-tools.",
    );
  },
  handler: () => Promise.reject(new Error("the offered tool runs in its place")),
});
