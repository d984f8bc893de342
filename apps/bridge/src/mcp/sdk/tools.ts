import { type CallResult, runTool, type ToolContext } from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { type CallGate, callSignals } from "./calls.js";
import { unknownNameError } from "./errors.js";
import type { McpServerOptions } from "./serve.js";
import { toolEntry } from "./tool-entry.js";

/** Prepares the tools; the returned function serves them to one client. */
export function toolHandlers(
  { tools, context }: McpServerOptions,
  calls: CallGate,
): (server: Server, session: AbortSignal) => void {
  // Made for the first client that asks: it costs start-up time.
  let listed: ReturnType<typeof toolEntry>[] | undefined;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (server, session) => {
    server.setRequestHandler(ListToolsRequestSchema, () => {
      listed ??= tools.map((tool) => toolEntry(tool, context.settings));
      return { tools: listed };
    });
    server.setRequestHandler(CallToolRequestSchema, (request, extra): Promise<CallResult> => {
      const { name, arguments: args, _meta } = request.params;
      const tool = byName.get(name);
      if (tool === undefined) throw unknownNameError("tool", name, byName.keys());
      const token = _meta?.progressToken;
      let progress = 0;
      const callContext: ToolContext = {
        ...context,
        ...callSignals(extra, session),
        progress:
          token === undefined
            ? undefined
            : (message) => {
                progress += 1;
                const params = { progressToken: token, progress, message };
                // A client that is gone misses nothing it could use.
                extra
                  .sendNotification({ method: "notifications/progress", params })
                  .catch(() => {});
              },
      };
      return calls.run(() => runTool(tool, args, callContext));
    });
  };
}
