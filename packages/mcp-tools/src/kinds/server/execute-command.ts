import { CommandResultSchema, toolArguments } from "@ccbridge/protocol/minecraft";
import { z } from "zod";
import { acts } from "../../core/annotations.js";
import { defineTool } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import { block, excerpt, plain } from "../../format/set-apart.js";
import { capital, OUTPUT_BYTES } from "../../format/text.js";
import { askServer, policyOf, readResult, target } from "./server.js";

/** Some servers return nothing, some only the printed text. */
const ResultSchema = z.union([
  CommandResultSchema,
  z
    .string()
    .max(65_536)
    .nullish()
    .transform((message) => ({ message: message ?? "" })),
]);

export const executeCommand = defineTool({
  name: "execute_command",
  title: "Run a server command",
  description:
    "Runs a command on a Minecraft server, as its console would, and returns what the game says. " +
    "Only commands that match the owner's patterns run; prefer the other server tools.",
  input: z.object({
    ...target,
    command: toolArguments.execute_command.shape.command.describe("Such as `time set day`."),
  }),
  output: z.object({ server: z.string(), message: z.string() }),
  annotations: acts,
  async handler(args, context) {
    const { checkCommand, hint } = policyOf(context);
    const refusal = checkCommand(args.command);
    if (refusal !== undefined) throw new ToolError(`INVALID_COMMAND: ${refusal}`, hint);
    const answer = await askServer(context, "execute_command", args);
    const { message = "" } = readResult(ResultSchema, answer);
    const output = excerpt(message, OUTPUT_BYTES);
    const { name, identity } = answer.server;
    return {
      text:
        output.head === ""
          ? `Done on ${name}; the game printed nothing.`
          : `${capital(name)} says:\n${block(output)}`,
      structured: () => ({ server: identity.serverName, message: plain(output) }),
    };
  },
});
