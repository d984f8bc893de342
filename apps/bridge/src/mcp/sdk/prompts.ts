import type { LookContext, Prompt, Tool } from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Caller } from "../transport/session-transport.js";
import { RpcError, unknownNameError } from "./errors.js";
import type { SessionLines } from "./session-line.js";

/** Prepares the prompts; the returned function serves them to one client. */
export function promptHandlers(
  prompts: readonly Prompt[],
  tools: readonly Tool[],
): (server: Server, context: LookContext, lines: SessionLines) => void {
  const names = new Set(tools.map(({ name }) => name));
  const hasTool = (name: string) => names.has(name);
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]));
  const listed = prompts.map(({ name, title, description, arguments: args }) => ({
    ...{ name, title, description },
    arguments: args.map(({ complete: _, ...argument }) => argument),
  }));
  return (server, context, lines) => {
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listed }));
    server.setRequestHandler(GetPromptRequestSchema, async ({ params }, extra) => {
      const prompt = byName.get(params.name);
      if (prompt === undefined) throw unknownNameError("prompt", params.name, byName.keys());
      const args = params.arguments ?? {};
      const missing = prompt.arguments.find(({ name, required }) => required && !args[name]);
      if (missing !== undefined) {
        const text = `${prompt.name} needs ${missing.name}: ${missing.description}`;
        throw new RpcError(ErrorCode.InvalidParams, text);
      }
      const caller = extra.requestInfo as Partial<Caller> | undefined;
      const line = caller?.line ?? lines.of(extra.requestId);
      const content = await prompt.content(args, { ...context, hasTool, line });
      const blocks =
        typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      return {
        description: prompt.description,
        messages: blocks.map((block) => ({ role: "user", content: block })),
      };
    });
  };
}
