import { CustomResultSchema } from "@ccbridge/protocol/minecraft";
import type { ToolContext, ToolOutcome } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import type { OfferedCall, OfferedCaller } from "../../core/offered.js";
import { block, excerpt, inline, toJson } from "../../format/set-apart.js";
import { capital, OUTPUT_BYTES } from "../../format/text.js";
import { requestServer } from "./server.js";

export const customToolCaller: OfferedCaller = {
  origin: "on a Minecraft server",
  call: callCustomTool,
  badArguments: (message) => new ToolError(message, "Nothing was done."),
};

async function callCustomTool(
  { offer, tool, args }: OfferedCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const params = { name: tool.name, arguments: args };
  const answer = await requestServer(context, offer, "call_tool", params);
  const { data } = CustomResultSchema.safeParse(answer);
  const result = data?.result ?? null;
  const shown = typeof result === "string" ? result : toJson(result, 2);
  const says = `${capital(offer.name)} answers ${inline(tool.name)}:`;
  return { text: `${says}\n${block(excerpt(shown, OUTPUT_BYTES))}` };
}
