// The generation of MCP without sessions (2026-07-28), by the second generation of the SDK. Nothing here is
// loaded before the first client asks for it: it costs start-up time.
import { randomBytes } from "node:crypto";
import {
  createMcpHandler,
  createRequestStateCodec,
  InMemoryServerEventBus,
  type McpHttpHandler,
  ProtocolError,
  type RequestStateCodec,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { ErrorCode, type JsonRpcMessage } from "../../http/json-rpc.js";
import { AnswerError, type LoopTransport } from "../transport/loop-transport.js";
import { appsCapability, rendersApps } from "./apps.js";
import { type Answered, capabilitiesOf, Questions } from "./questions.js";

/** What the server of the sessions answers with when a resource is not there. */
const RESOURCE_NOT_FOUND = -32_002;

/** How long a person may take for an answer. */
const ANSWER_SECONDS = 600;

/** The methods that both generations have in common; the SDK's own part answers the rest. */
const methods = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const;

export interface ModernOptions {
  version: string;
  instructions: string;
  hasApps: boolean;
  /** The session that answers; its server is the one of all clients. */
  loop: LoopTransport;
}

/** Serves clients without sessions: each request goes through the loop to the server of all others. */
export function createModernHandler(options: ModernOptions): McpHttpHandler {
  const { loop } = options;
  // What these clients keep for us is worth nothing to others, who have another key.
  const codec = createRequestStateCodec<Answered>({
    key: randomBytes(32),
    ttlSeconds: ANSWER_SECONDS,
  });
  const bus = new InMemoryServerEventBus();
  loop.onnotification = (message) => {
    const event = eventOf(message);
    if (event !== undefined) bus.publish(event);
  };
  return createMcpHandler(() => createServer(options, codec), { legacy: "reject", bus });
}

function createServer(
  { version, instructions, hasApps, loop }: ModernOptions,
  codec: RequestStateCodec<Answered>,
): Server {
  const server = new Server(
    { name: "ccbridge", title: "ccbridge", version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        completions: {},
        logging: {},
        ...(hasApps ? { extensions: appsCapability } : {}),
      },
      instructions,
      requestState: { verify: codec.verify },
    },
  );
  for (const method of methods) {
    server.setRequestHandler(method, (request, context) =>
      // What comes back was made for this method by the same server as for all others.
      passOn({ loop, codec }, request, context).then((result) => result as never),
    );
  }
  return server;
}

async function passOn(
  { loop, codec }: { loop: LoopTransport; codec: RequestStateCodec<Answered> },
  { method, params }: { method: string; params?: object | undefined },
  { mcpReq, http }: ServerContext,
): Promise<unknown> {
  // The SDK takes the progress token out of the parameters.
  const token = mcpReq._meta?.progressToken;
  const meta = token === undefined ? {} : { _meta: { progressToken: token } };
  const { name = "" } = (params ?? {}) as { name?: unknown };
  const questions = new Questions(mcpReq, `${method} ${name}`, codec);
  const answer = loop.request(
    method,
    { ...params, ...meta },
    {
      client: http?.authInfo?.clientId ?? "",
      gone: AbortSignal.any([mcpReq.signal, questions.asked]),
      notify: (message) => void mcpReq.notify(message as never).catch(() => {}),
      line: questions,
      rendersApps: rendersApps(capabilitiesOf(mcpReq)),
    },
  );
  try {
    return await Promise.race([answer, questions.result]);
  } catch (error) {
    throw error instanceof AnswerError ? protocolError(error) : error;
  }
}

function protocolError({ code, message, data }: AnswerError): ProtocolError {
  // The first generation puts the code into the text as well.
  const text = message.replace(/^(MCP error -?\d+: )+/, "");
  const { uri } = (data ?? {}) as { uri?: unknown };
  if (code === RESOURCE_NOT_FOUND) return new ResourceNotFoundError(String(uri), text);
  return new ProtocolError(code === ErrorCode.refused ? ErrorCode.internal : code, text, data);
}

/** What a listening client receives when the server of the sessions sends a notification. */
function eventOf({ method, params }: JsonRpcMessage): ServerEvent | undefined {
  switch (method) {
    case "notifications/resources/updated":
      return { kind: "resource_updated", uri: String(params?.uri) };
    case "notifications/resources/list_changed":
      return { kind: "resources_list_changed" };
    case "notifications/tools/list_changed":
      return { kind: "tools_list_changed" };
    default:
      return undefined;
  }
}
