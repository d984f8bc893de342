// MCP with sessions, by the first generation of the SDK.
import {
  type ClientAnswer,
  type ClientLine,
  type ClientRequest,
  type LogLevel,
  reaches,
  ToolError,
} from "@ccbridge/mcp-tools";
import { printable } from "@ccbridge/registry";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonRpcMessage } from "../../http/json-rpc.js";
import { answersRequests, rendersApps, serverCapabilities } from "../server/capabilities.js";
import { handlers, type McpCall, type Method } from "../server/handlers.js";
import { type ClientFacts, type McpServices, McpSession } from "../server/session.js";
import type { Caller, SessionTransport } from "../wire/session-transport.js";

/** Long enough for a person to check the computer; most clients time out earlier. */
const ANSWER_MS = 300_000;

const requestSchemas = {
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
  "resources/subscribe": SubscribeRequestSchema,
  "resources/unsubscribe": UnsubscribeRequestSchema,
  "prompts/list": ListPromptsRequestSchema,
  "prompts/get": GetPromptRequestSchema,
  "completion/complete": CompleteRequestSchema,
  "logging/setLevel": SetLevelRequestSchema,
} as const satisfies Record<Method, unknown>;

const answerSchemas = {
  "elicitation/create": ElicitResultSchema,
  "sampling/createMessage": CreateMessageResultSchema,
  "roots/list": ListRootsResultSchema,
} as const;

/** The SDK builds a JSON schema validator per server unless it is given one; ours needs none. */
const noValidator = {
  getValidator: () => {
    throw new Error("this server asks its clients for nothing that would need validation");
  },
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Serves the client of a transport until it closes. */
export async function serveSession(
  services: McpServices,
  transport: SessionTransport,
  client: ClientFacts,
): Promise<void> {
  const { version, instructions, hasApps } = services;
  const server = new Server(
    { name: "ccbridge", title: "ccbridge", version },
    {
      capabilities: serverCapabilities(hasApps),
      instructions,
      jsonSchemaValidator: noValidator,
    },
  );
  const ended = new AbortController();
  // Runs before the SDK's own handler, which aborts every call.
  transport.onclose = () => ended.abort();
  const ignore = () => {};
  const session = new McpSession(
    services,
    { ...client, sessionId: transport.sessionId, programOf: () => softwareOf(server) },
    {
      toolsChanged: () => void server.sendToolListChanged().catch(ignore),
      resourcesChanged: () => void server.sendResourceListChanged().catch(ignore),
      resourceUpdated: (uri) => void server.sendResourceUpdated({ uri }).catch(ignore),
    },
  );
  for (const method of Object.keys(handlers) as Method[]) {
    server.setRequestHandler(requestSchemas[method], async ({ params = {} }, extra) =>
      handlers[method](session, params, callOf(server, session, ended.signal, extra)),
    );
  }
  server.onclose = () => session.close();
  await server.connect(transport as Transport);
  describe(transport, server);
}

function callOf(server: Server, session: McpSession, ended: AbortSignal, extra: Extra): McpCall {
  const capabilities = server.getClientCapabilities();
  const token = extra._meta?.progressToken;
  const line = new SessionLine(server, session, extra.requestId);
  return {
    ...callSignals(extra, ended),
    line,
    program: server.getClientVersion()?.name,
    rendersApps: rendersApps(capabilities),
    progress: token === undefined ? undefined : line.progress(token),
  };
}

/**
 * Distinguishes a cancelled call from one whose client is gone. The SDK's own signal aborts in both cases, but a
 * client that goes away has not asked for anything in the game to stop.
 */
function callSignals({ signal: either, requestInfo }: Extra, ended: AbortSignal) {
  const cancelled = new AbortController();
  const gone = new AbortController();
  const onAbort = () => {
    if (!ended.aborted) cancelled.abort(either.reason);
    gone.abort();
  };
  if (either.aborted) onAbort();
  else either.addEventListener("abort", onAbort, { once: true });
  (requestInfo as Partial<Caller> | undefined)?.onGone?.(() => gone.abort());
  return { signal: cancelled.signal, gone: gone.signal };
}

/** Asks a client with a session while its call waits. */
class SessionLine implements ClientLine {
  readonly #server: Server;
  readonly #session: McpSession;
  readonly #id: RequestId;

  constructor(server: Server, session: McpSession, id: RequestId) {
    this.#server = server;
    this.#session = session;
    this.#id = id;
  }

  answers(method: ClientRequest["method"]): boolean {
    return answersRequests(this.#server.getClientCapabilities(), method);
  }

  hears(level: LogLevel): boolean {
    return reaches(level, this.#session.logLevel);
  }

  log(level: LogLevel, data: string): void {
    if (this.hears(level)) this.#notify("notifications/message", { level, data });
  }

  progress(progressToken: RequestId): (message: string) => void {
    let progress = 0;
    return (message) => {
      progress += 1;
      this.#notify("notifications/progress", { progressToken, progress, message });
    };
  }

  async ask<Name extends string>(requests: Readonly<Record<Name, ClientRequest>>) {
    const asked = Object.entries<ClientRequest>(requests).map(async ([name, request]) => [
      name,
      await this.#ask(request),
    ]);
    return Object.fromEntries(await Promise.all(asked)) as Record<Name, ClientAnswer>;
  }

  async #ask({ method, params }: ClientRequest): Promise<ClientAnswer> {
    if (!this.answers(method)) throw unanswered(method, "it does not declare that it can");
    try {
      return await this.#server.request(
        { method, ...(params === undefined ? {} : { params }) } as never,
        answerSchemas[method],
        { relatedRequestId: this.#id, timeout: ANSWER_MS },
      );
    } catch (error) {
      throw unanswered(method, error instanceof Error ? error.message : String(error));
    }
  }

  #notify(method: string, params: Record<string, unknown>): void {
    // The client is gone.
    this.#server
      .notification({ method, params } as never, { relatedRequestId: this.#id })
      .catch(() => {});
  }
}

function unanswered(method: string, why: string): ToolError {
  return new ToolError(
    `The client did not answer ${method}: ${why}.`,
    "Nothing was done. Call again from a client that answers such requests.",
  );
}

/** Records the MCP version of initialize, which the SDK's server does not expose. */
function describe(transport: SessionTransport, server: Server): void {
  const { onmessage } = transport;
  let protocol: string | undefined;
  transport.onmessage = (message: JsonRpcMessage, extra?: never) => {
    const asked = message.method === "initialize" ? message.params?.protocolVersion : undefined;
    if (typeof asked === "string") protocol = printable(asked).slice(0, 32);
    transport.onmessage = onmessage;
    onmessage?.(message as never, extra);
  };
  transport.describe = () => ({ software: softwareOf(server), protocol });
}

function softwareOf(server: Server): string | undefined {
  const { name, version } = server.getClientVersion() ?? {};
  return name === undefined ? undefined : printable(`${name} ${version}`).slice(0, 80);
}
