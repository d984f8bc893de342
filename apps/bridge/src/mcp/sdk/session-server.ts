// MCP with sessions, up to 2025-11-25. The schemas and versions are those of the first generation of the SDK. Its
// `Server` is not used: it parses each call six times, which costs more than the rest of the bridge.
import {
  type ClientAnswer,
  type ClientLine,
  type ClientRequest,
  type LogLevel,
  reaches,
  ToolError,
} from "@ccbridge/mcp-tools";
import { CallCancellation, printable } from "@ccbridge/registry";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  type InitializeRequest,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import { answersRequests, rendersApps, serverCapabilities } from "../handlers/capabilities.js";
import { handlers, type McpCall, type Method } from "../handlers/handlers.js";
import { RpcError } from "../handlers/rpc-error.js";
import { type ClientFacts, type McpServices, McpSession } from "../handlers/session.js";
import { ClientRequests } from "./client-requests.js";
import type { Requester, SessionTransport } from "./session-transport.js";

type Params = Record<string, unknown>;

interface ParamsSchema {
  safeParse(params: unknown): {
    readonly success: boolean;
    readonly data?: Params | undefined;
    readonly error?: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined;
  };
}

const paramsSchemas: Readonly<Record<Method | "initialize", ParamsSchema>> = {
  initialize: InitializeRequestSchema.shape.params,
  "tools/list": ListToolsRequestSchema.shape.params,
  "tools/call": CallToolRequestSchema.shape.params,
  "resources/list": ListResourcesRequestSchema.shape.params,
  "resources/templates/list": ListResourceTemplatesRequestSchema.shape.params,
  "resources/read": ReadResourceRequestSchema.shape.params,
  "resources/subscribe": SubscribeRequestSchema.shape.params,
  "resources/unsubscribe": UnsubscribeRequestSchema.shape.params,
  "prompts/list": ListPromptsRequestSchema.shape.params,
  "prompts/get": GetPromptRequestSchema.shape.params,
  "completion/complete": CompleteRequestSchema.shape.params,
  "logging/setLevel": SetLevelRequestSchema.shape.params,
};

export function serveSession(
  services: McpServices,
  transport: SessionTransport,
  client: ClientFacts,
): void {
  const server = new SessionServer(services, transport, client);
  transport.onmessage = (message, caller) => server.receive(message, caller);
  transport.onclose = () => server.close();
  transport.describe = () => ({ software: server.software, protocol: server.protocol });
}

class SessionServer {
  readonly transport: SessionTransport;
  readonly session: McpSession;
  readonly requests: ClientRequests;
  client: InitializeRequest["params"] | undefined;
  readonly #open = new Map<RequestId, SessionCall>();

  constructor(services: McpServices, transport: SessionTransport, facts: ClientFacts) {
    this.transport = transport;
    this.requests = new ClientRequests(transport);
    this.session = new McpSession(
      services,
      { ...facts, sessionId: transport.sessionId, programOf: () => this.software },
      {
        toolsChanged: () => this.notify("notifications/tools/list_changed"),
        resourcesChanged: () => this.notify("notifications/resources/list_changed"),
        resourceUpdated: (uri, meta) =>
          this.notify("notifications/resources/updated", { uri, ...(meta && { _meta: meta }) }),
        message: (level, data) => {
          // A client that has not chosen a level hears of what matters to it.
          if (reaches(level, this.session.logLevel ?? "notice")) {
            this.notify("notifications/message", { level, logger: "ccbridge", data });
          }
        },
      },
    );
  }

  get software(): string | undefined {
    if (this.client === undefined) return undefined;
    const { name, version } = this.client.clientInfo;
    return printable(`${name} ${version}`).slice(0, 80);
  }

  get protocol(): string | undefined {
    return this.client && printable(this.client.protocolVersion).slice(0, 32);
  }

  receive(message: JsonRpcMessage, caller: Requester | undefined): void {
    const { id, method, params } = message;
    if (method === undefined) this.requests.receive(message);
    else if (id !== undefined) void this.#serve(id, method, params, caller);
    else if (method === "notifications/cancelled") this.#cancel(params?.requestId as RequestId);
  }

  /** The client is gone. It did not ask for anything in the game to stop. */
  close(): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const call of open) call.leave();
    this.session.close();
    this.requests.close();
  }

  notify(method: string, params?: Params, call?: RequestId): void {
    this.transport.send({ jsonrpc: "2.0", method, ...(params && { params }) }, call);
  }

  async #serve(
    id: RequestId,
    method: string,
    params: Params | undefined,
    caller: Requester | undefined,
  ): Promise<void> {
    const call = new SessionCall(this, id, params);
    this.#open.set(id, call);
    caller?.onGone(() => call.leave());
    let answer: JsonRpcMessage;
    try {
      answer = { jsonrpc: "2.0", id, result: await this.#answer(method, params, call) };
    } catch (error) {
      answer = { jsonrpc: "2.0", id, error: rpcErrorOf(error) };
    }
    // What is cancelled is not answered, and its id may be in use again.
    if (this.#open.get(id) !== call) return;
    this.#open.delete(id);
    this.transport.send(answer);
  }

  #answer(method: string, params: Params | undefined, call: SessionCall): Promise<object> | object {
    if (method === "ping") return {};
    if (!Object.hasOwn(paramsSchemas, method)) {
      throw new RpcError(RpcErrorCode.methodNotFound, "Method not found");
    }
    const name = method as keyof typeof paramsSchemas;
    const { success, data = {}, error } = paramsSchemas[name].safeParse(params);
    if (!success) {
      const [issue] = error?.issues ?? [];
      const where = ["params", ...(issue?.path ?? [])].join(".");
      throw new RpcError(
        RpcErrorCode.invalidParams,
        `Invalid ${method}: ${where}: ${issue?.message}`,
      );
    }
    if (name !== "initialize") return handlers[name](this.session, data, call);
    return this.#initialize(data as InitializeRequest["params"]);
  }

  #initialize(client: InitializeRequest["params"]): object {
    this.client = client;
    const { version, instructions, hasApps } = this.session.services;
    const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(client.protocolVersion);
    return {
      protocolVersion: isKnown ? client.protocolVersion : LATEST_PROTOCOL_VERSION,
      capabilities: serverCapabilities(hasApps),
      serverInfo: { name: "ccbridge", title: "ccbridge", version },
      instructions,
    };
  }

  #cancel(id: RequestId): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    call?.cancel();
  }
}

class SessionCall implements McpCall, ClientLine {
  readonly #server: SessionServer;
  readonly #id: RequestId;
  readonly #progressToken: RequestId | undefined;
  readonly signal = new CallCancellation();
  readonly gone = new CallCancellation();
  #steps = 0;

  constructor(server: SessionServer, id: RequestId, params: Params | undefined) {
    this.#server = server;
    this.#id = id;
    // The type is checked by `messageKind`.
    this.#progressToken = (
      params?._meta as { progressToken?: RequestId } | undefined
    )?.progressToken;
  }

  get line(): ClientLine {
    return this;
  }

  get program(): string | undefined {
    return this.#server.client?.clientInfo.name;
  }

  get rendersApps(): boolean {
    return rendersApps(this.#server.client?.capabilities);
  }

  get progress(): McpCall["progress"] {
    const progressToken = this.#progressToken;
    if (progressToken === undefined) return undefined;
    return (message) => {
      this.#steps += 1;
      this.#notify("notifications/progress", { progressToken, progress: this.#steps, message });
    };
  }

  cancel(): void {
    this.signal.abort();
    this.gone.abort();
  }

  /** The client no longer waits. */
  leave(): void {
    this.gone.abort();
  }

  answers(method: ClientRequest["method"]): boolean {
    return answersRequests(this.#server.client?.capabilities, method);
  }

  hears(level: LogLevel): boolean {
    return reaches(level, this.#server.session.logLevel);
  }

  log(level: LogLevel, data: string): void {
    if (this.hears(level)) this.#notify("notifications/message", { level, data });
  }

  async ask<Name extends string>(requests: Readonly<Record<Name, ClientRequest>>) {
    const asked = Object.entries<ClientRequest>(requests).map(async ([name, request]) => [
      name,
      await this.#ask(request),
    ]);
    return Object.fromEntries(await Promise.all(asked)) as Record<Name, ClientAnswer>;
  }

  async #ask(request: ClientRequest): Promise<ClientAnswer> {
    const { method } = request;
    if (!this.answers(method)) throw unanswered(method, "it does not declare that it can");
    try {
      return await this.#server.requests.ask(request, this.#id);
    } catch (error) {
      throw unanswered(method, (error as Error).message);
    }
  }

  #notify(method: string, params: Params): void {
    this.#server.notify(method, params, this.#id);
  }
}

function unanswered(method: string, why: string): ToolError {
  return new ToolError(
    `The client did not answer ${method}: ${why}.`,
    "Nothing was done. Call again from a client that answers such requests.",
  );
}

function rpcErrorOf(error: unknown): NonNullable<JsonRpcMessage["error"]> {
  const { code, message, data } = error as { code?: unknown; message?: string; data?: unknown };
  return {
    code: Number.isSafeInteger(code) ? (code as number) : RpcErrorCode.internal,
    message: message ?? "Internal error",
    ...(data === undefined ? {} : { data }),
  };
}
