import { type BatchResult, BatchResultSchema, toolArguments } from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { acts } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import { inline, quoted } from "../../format/set-apart.js";
import { OUTPUT_BYTES } from "../../format/text.js";
import { askServer, readResult, requireCommand, target } from "./server.js";

const { commands, stopOnFailure } = toolArguments.execute_commands.shape;

export const executeCommands = defineTool({
  name: "execute_commands",
  title: "Run several server commands",
  effect: "commands run",
  description:
    "Runs up to 100 commands one after the other, as execute_command does. If one is not allowed by " +
    "the bridge's owner, none runs.",
  input: z.object({
    ...target,
    commands: commands.meta({ description: "Run in this order.", obvious: true }),
    stopOnFailure: stopOnFailure.describe("Leave out the rest after a failure."),
  }),
  output: z.object({
    server: z.string(),
    ran: z.int(),
    results: z.array(z.record(z.string(), z.unknown())),
  }),
  annotations: acts,
  async handler(args, context) {
    if (context.allows?.("execute_command") === false) {
      throw new ToolError(
        "PERMISSION_DENIED: this client may not run commands.",
        "Nothing was done. Ask the bridge's owner to allow execute_command.",
      );
    }
    for (const [index, command] of args.commands.entries()) {
      requireCommand(context, command, `Nothing was run. Command ${index + 1}: `);
    }
    const answer = await askServer(context, "execute_commands", args);
    const { ran, results } = readResult(BatchResultSchema, answer);
    const failed = results.slice(0, ran).filter(({ success }) => !success).length;
    const { name, provider } = answer.server;
    const room = Math.max(40, Math.floor(OUTPUT_BYTES / results.length) - 20);
    const summary = `Ran ${ran} of ${args.commands.length} commands on ${name}; ${failed} failed.`;
    return {
      text: [summary, ...results.map((result, index) => line(result, index, room))].join("\n"),
      isError: failed > 0 || ran < args.commands.length,
      structured: () => ({ server: provider.serverName, ran, results }),
    };
  },
});

function line(
  { success, code, message = "", error = "" }: BatchResult["results"][number],
  index: number,
  room: number,
): string {
  const said = success ? message : error;
  const verdict = success ? "done" : code === undefined ? "failed" : inline(code);
  return `${index + 1}. ${verdict}${said === "" ? "" : `: ${quoted(said, room)}`}`;
}
