import type { ToolSource } from "@ccbridge/mcp-tools";
import {
  type CallResult,
  type SessionContext,
  ToolSession,
  UnknownToolError,
} from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { type CallGate, callSignals } from "./calls.js";
import { unknownNameError } from "./errors.js";

export interface RegisterToolsOptions {
  source: ToolSource;
  context: SessionContext;
  calls: CallGate;
  /** Aborted when the client's session is over. */
  session: AbortSignal;
}

/** Serves the tools to one client. Call the returned function when it is gone. */
export function registerTools(
  server: Server,
  { source, context, calls, session }: RegisterToolsOptions,
): () => void {
  const tools = new ToolSession({
    source,
    context,
    // Nobody who is gone, or does not listen, misses anything: the next list shows it all.
    listChanged: () => void server.sendToolListChanged().catch(() => {}),
  });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await tools.list() }));
  server.setRequestHandler(CallToolRequestSchema, (request, extra): Promise<CallResult> => {
    const { name, arguments: args, _meta } = request.params;
    const token = _meta?.progressToken;
    let progress = 0;
    const send =
      token === undefined
        ? undefined
        : (message: string) => {
            progress += 1;
            const params = { progressToken: token, progress, message };
            // A client that is gone misses nothing it could use.
            extra.sendNotification({ method: "notifications/progress", params }).catch(() => {});
          };
    const isAsked = server.getClientCapabilities()?.elicitation !== undefined;
    const confirm = isAsked ? (question: string) => confirmed(extra, question) : undefined;
    const caller = callSignals(extra, session);
    const call = { ...caller, progress: send, confirm: confirm ?? caller.confirm };
    return calls
      .run(() => tools.call(name, args, call))
      .catch((error) => {
        throw error instanceof UnknownToolError
          ? unknownNameError("tool", name, error.names)
          : error;
      });
  });
  return () => tools.close();
}

/** Asks the person at the client. No answer, whatever the reason, is not a yes. */
async function confirmed(
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
  message: string,
): Promise<boolean> {
  const requestedSchema = { type: "object" as const, properties: {} };
  const params = { message, requestedSchema };
  try {
    const { action } = await extra.sendRequest(
      { method: "elicitation/create", params },
      ElicitResultSchema,
    );
    return action === "accept";
  } catch {
    return false;
  }
}
