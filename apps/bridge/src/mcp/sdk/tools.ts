import {
  type CallResult,
  type SessionContext,
  type ToolGate,
  type ToolQuestion,
  ToolSession,
  type ToolSource,
  UnknownToolError,
} from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { RequestId } from "../../http/json-rpc.js";
import type { SessionTransport } from "../transport/session-transport.js";
import type { ToolCall } from "../transport/tool-call.js";
import { type CallGate, type CallSignals, callSignals, OwnSignals } from "./calls.js";
import { type ChoiceSchema, choiceSchema, chosenOf } from "./choices.js";
import { errorMessage, resultMessage, unknownNameError } from "./errors.js";

export interface RegisterToolsOptions {
  source: ToolSource;
  context: SessionContext;
  gate: ToolGate | undefined;
  calls: CallGate;
  /** Aborted when the client's session is over. */
  session: AbortSignal;
  /** The client's program, where it does not introduce itself to the server: it has no session. */
  software: string | undefined;
}

/** Serves the tools to one client. Call the returned function when it is gone. */
export function registerTools(
  server: Server,
  transport: SessionTransport,
  { source, context, gate, calls, session, software }: RegisterToolsOptions,
): () => void {
  const tools = new ToolSession({
    source,
    context,
    gate,
    // Nobody who is gone, or does not listen, misses anything: the next list shows it all.
    listChanged: () => void server.sendToolListChanged().catch(() => {}),
  });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await tools.list() }));
  const call = async (
    { id, name, args, progressToken }: ToolCall,
    signals: CallSignals,
  ): Promise<CallResult> => {
    const way = { server, id };
    const isAsked = server.getClientCapabilities()?.elicitation !== undefined;
    const facts = {
      client: server.getClientVersion()?.name ?? software,
      signal: signals.signal,
      gone: signals.gone,
      progress: progressToken === undefined ? undefined : progressOf(way, progressToken),
      confirm: isAsked ? (question: string) => confirmed(way, question) : signals.confirm,
      choose: isAsked ? (question: ToolQuestion) => chosen(way, question) : signals.choose,
    };
    try {
      return await calls.run(args, () => tools.call(name, args, facts));
    } catch (error) {
      if (!(error instanceof UnknownToolError)) throw error;
      throw unknownNameError("tool", name, error.names);
    }
  };
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const { name, arguments: args, _meta } = params;
    const asked = { id: extra.requestId, name, args, progressToken: _meta?.progressToken };
    return call(asked, callSignals(extra, session));
  });
  transport.ontoolcall = (asked) => {
    const signals = new OwnSignals();
    call(asked, signals).then(
      (result) => transport.send(resultMessage(asked.id, result)),
      (error) => transport.send(errorMessage(asked.id, error)),
    );
    return signals.stop;
  };
  return () => tools.close();
}

/** The call that something is said about, or asked for. */
interface Way {
  readonly server: Server;
  readonly id: RequestId;
}

function progressOf({ server, id }: Way, progressToken: RequestId): (message: string) => void {
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // A client that is gone misses nothing it could use.
    server
      .notification({ method: "notifications/progress", params }, { relatedRequestId: id })
      .catch(() => {});
  };
}

/** A person may look at the computer first; most clients give up on the call before. */
const ANSWER_MS = 300_000;

/** Asks the person at the client. No answer, whatever the reason, is not a yes. */
async function confirmed(way: Way, message: string): Promise<boolean> {
  return (await elicit(way, message, {})) !== undefined;
}

/** The same, with something to choose from. */
async function chosen(way: Way, question: ToolQuestion): Promise<string | undefined> {
  return chosenOf(question, await elicit(way, question.text, choiceSchema(question)));
}

/** What a person entered; undefined when they declined, or nothing came. */
async function elicit(
  { server, id }: Way,
  message: string,
  properties: ChoiceSchema,
): Promise<Record<string, unknown> | undefined> {
  const requestedSchema = { type: "object" as const, properties };
  try {
    const { action, content } = await server.request(
      { method: "elicitation/create", params: { message, requestedSchema } },
      ElicitResultSchema,
      { relatedRequestId: id, timeout: ANSWER_MS },
    );
    return action === "accept" ? (content ?? {}) : undefined;
  } catch {
    return undefined;
  }
}
