import {
  type CallResult,
  type ClientLine,
  type SessionContext,
  type ToolGate,
  ToolSession,
  type ToolSource,
  UnknownToolError,
} from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonRpcMessage } from "../../http/json-rpc.js";
import type { SessionTransport } from "../transport/session-transport.js";
import type { ToolCall } from "../transport/tool-call.js";
import { type CallGate, type CallSignals, callSignals, OwnSignals } from "./calls.js";
import { errorMessage, resultMessage, unknownNameError } from "./errors.js";
import type { SessionLines } from "./session-line.js";

export interface RegisterToolsOptions {
  source: ToolSource;
  context: SessionContext;
  gate: ToolGate | undefined;
  calls: CallGate;
  lines: SessionLines;
  /** Aborted when the client's session is over. */
  session: AbortSignal;
  /** The client's program, where it does not introduce itself to the server: it has no session. */
  software: string | undefined;
}

/** Serves the tools to one client. Call the returned function when it is gone. */
export function registerTools(
  server: Server,
  transport: SessionTransport,
  { source, context, gate, calls, lines, session, software }: RegisterToolsOptions,
): () => void {
  const tools = new ToolSession({
    source,
    context,
    gate,
    // Nobody who is gone, or does not listen, misses anything: the next list shows it all.
    listChanged: () => void server.sendToolListChanged().catch(() => {}),
  });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await tools.list() }));
  const call = (
    { id, name, args, progressToken }: ToolCall,
    signals: CallSignals,
  ): Promise<CallResult> => {
    const own = lines.of(id);
    const line = signals.line ?? own;
    const facts = {
      client: server.getClientVersion()?.name ?? software,
      signal: signals.signal,
      gone: signals.gone,
      progress: progressToken === undefined ? logged(line) : own.progress(progressToken),
      line,
      afterwards: signals.afterwards,
    };
    return tools.call(name, args, facts);
  };
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args, _meta } = params;
    const asked = { id: extra.requestId, name, args, progressToken: _meta?.progressToken };
    try {
      return await calls.run(args, () => call(asked, callSignals(extra, session)));
    } catch (error) {
      throw asRpcError(name, error);
    }
  });
  // Without async functions of its own: each would be one more promise on the way of every call.
  transport.ontoolcall = (asked) => {
    const { id, name, args } = asked;
    const signals = new OwnSignals();
    let weight: number | undefined;
    const end = (message: JsonRpcMessage) => {
      void transport.send(message);
      if (weight !== undefined) calls.end(weight);
      try {
        signals.answered();
      } catch (error) {
        // The client has its answer, so that nobody else can be told.
        transport.onerror?.(error as Error);
      }
    };
    const fail = (error: unknown) => end(errorMessage(id, asRpcError(name, error)));
    try {
      weight = calls.begin(args);
      call(asked, signals).then((result) => end(resultMessage(id, result)), fail);
    } catch (error) {
      fail(error);
    }
    return signals.stop;
  };
  return () => tools.close();
}

/** What a client is told of a tool that does not exist, or of any other error. */
function asRpcError(name: string, error: unknown): unknown {
  return error instanceof UnknownToolError ? unknownNameError("tool", name, error.names) : error;
}

/** A client that wants log messages but no progress gets the progress of its call in the log. */
function logged(line: ClientLine): ((message: string) => void) | undefined {
  return line.hears("info") ? (message) => line.log("info", message) : undefined;
}
