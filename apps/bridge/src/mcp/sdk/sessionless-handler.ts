// MCP without sessions (2026-07-28), by the second generation of the SDK. Nothing here is loaded before the first
// client asks for it: it costs start-up time.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  AwaitingAnswers,
  type ClientAnswer,
  type ClientLine,
  type ClientMethod,
  type ClientRequest,
  type LogLevel,
  reaches,
} from "@ccbridge/mcp-tools";
import { isRecord } from "@ccbridge/protocol";
import { BoundedMap } from "@ccbridge/registry";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  createRequestStateCodec,
  InMemoryServerEventBus,
  type InputRequests,
  inputRequired,
  LOG_LEVEL_META_KEY,
  type McpHttpHandler,
  ProtocolError,
  type RequestStateCodec,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { limits } from "../../config/limits.js";
import { RpcErrorCode } from "../../http/errors.js";
import { answersRequests, rendersApps, serverCapabilities } from "../handlers/capabilities.js";
import { handlers, type McpCall, type Method } from "../handlers/handlers.js";
import { RESOURCE_NOT_FOUND } from "../handlers/rpc-error.js";
import type { McpServices, McpSession, SessionNews } from "../handlers/session.js";

const ANSWER_SECONDS = 600;

const methods = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const satisfies readonly Method[];

export interface CallScope {
  run<T>(address: string, signal: AbortSignal, call: (signals: Signals) => Promise<T>): Promise<T>;
}

type Signals = Pick<McpCall, "signal" | "gone">;

export interface SessionlessHandler extends Pick<McpHttpHandler, "fetch" | "close"> {
  readonly session: McpSession;
  readonly questions: Questions;
}

/** Questions that a client answers by calling again. */
export interface Questions {
  /** Rejects when the state was not made here, or is too old. */
  verify(state: string): Promise<unknown>;
  /** Whether the answers of this state are used now, and were not before. */
  use(nonce: string): boolean;
}

/** The questions of other bridges for the same client, which may call again through this one. */
export interface QuestionsElsewhere {
  /** What the states of this bridge begin with. */
  readonly prefix: string;
  /** Those of the bridge that made a state; undefined when it is gone. */
  of(state: string): QuestionsThere | undefined;
}

interface QuestionsThere {
  verify(state: string): Promise<unknown>;
  use(nonce: string): Promise<boolean>;
}

/** Serves clients without sessions from one session inside this process. */
export function createSessionlessHandler(
  services: McpServices,
  scope: CallScope,
  open: (news: SessionNews) => McpSession,
  elsewhere?: QuestionsElsewhere,
): SessionlessHandler {
  const answers = new Answers(elsewhere);
  const bus = new InMemoryServerEventBus();
  const session = open({
    toolsChanged: () => bus.publish({ kind: "tools_list_changed" }),
    resourcesChanged: () => bus.publish({ kind: "resources_list_changed" }),
    resourceUpdated: (uri) => bus.publish({ kind: "resource_updated", uri }),
    // This protocol has log messages only inside a call.
    message: () => {},
  });
  const handler = createMcpHandler(() => createServer(services, session, { answers, scope }), {
    legacy: "reject",
    bus,
  });
  return {
    session,
    questions: answers.questions,
    fetch: (request, options) => handler.fetch(request, options),
    async close() {
      session.close();
      await handler.close();
    },
  };
}

function createServer(
  { version, instructions, hasApps }: McpServices,
  session: McpSession,
  { answers, scope }: { answers: Answers; scope: CallScope },
): Server {
  const server = new Server(
    { name: "ccbridge", title: "ccbridge", version },
    {
      capabilities: serverCapabilities(hasApps),
      instructions,
      requestState: { verify: (state) => answers.verify(state) },
    },
  );
  for (const method of methods) {
    server.setRequestHandler(method, async ({ params = {} }, { mcpReq, http }) => {
      const given = await answers.of(mcpReq, method, params);
      const address = http?.authInfo?.clientId ?? "";
      try {
        return (await scope.run(address, mcpReq.signal, async (signals) =>
          handlers[method](session, { ...params }, callOf(mcpReq, signals, given)),
        )) as never;
      } catch (error) {
        if (error instanceof AwaitingAnswers) return error.result as never;
        throw asProtocolError(error);
      }
    });
  }
  return server;
}

function callOf(request: ServerContext["mcpReq"], signals: Signals, given: GivenAnswers): McpCall {
  const { name } = (request.envelope as Envelope | undefined)?.[CLIENT_INFO_META_KEY] ?? {};
  const capabilities = capabilitiesOf(request);
  // The SDK takes the progress token out of the parameters.
  const token = request._meta?.progressToken;
  let progress = 0;
  return {
    ...signals,
    line: new RequestLine(request, given),
    program: name,
    rendersApps: rendersApps(capabilities),
    progress:
      token === undefined
        ? undefined
        : (message) => {
            progress += 1;
            const params = { progressToken: token, progress, message };
            void request.notify({ method: "notifications/progress", params }).catch(() => {});
          },
  };
}

/** The `_meta` of each request; the SDK checks it but does not type it. */
interface Envelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [LOG_LEVEL_META_KEY]?: LogLevel;
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
}

function capabilitiesOf({ envelope }: ServerContext["mcpReq"]): ClientCapabilities | undefined {
  return (envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** Signed state that the client sends back when it calls again. */
interface KeptState {
  /** The hash of the exact call that was asked about: an answer is good for no other. */
  readonly call: string;
  /** Each answer is used once. */
  readonly nonce: string;
  readonly answers: Readonly<Record<string, ClientAnswer>>;
  /** The other bridge that asked. Undefined for this one. */
  readonly there?: QuestionsThere;
}

interface GivenAnswers {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly areBound: boolean;
  ask(missing: InputRequests, known: Readonly<Record<string, ClientAnswer>>): Promise<object>;
}

/** Only a codec that binds states to their request looks at it. */
const unused = {} as ServerContext;

class Answers {
  // State of these clients is not valid for others, which have another key.
  readonly #codec: RequestStateCodec<KeptState> = createRequestStateCodec<KeptState>({
    key: randomBytes(32),
    ttlSeconds: ANSWER_SECONDS,
  });
  readonly #open = new BoundedMap<string, true>(limits.openQuestions);
  readonly #elsewhere: QuestionsElsewhere | undefined;
  readonly questions: Questions = {
    verify: async (state) => this.#codec.verify(state.slice(this.#prefix.length), unused),
    use: (nonce) => this.#open.delete(nonce),
  };

  constructor(elsewhere: QuestionsElsewhere | undefined) {
    this.#elsewhere = elsewhere;
  }

  get #prefix(): string {
    return this.#elsewhere?.prefix ?? "";
  }

  async verify(state: string): Promise<KeptState> {
    if (state.startsWith(this.#prefix)) return (await this.questions.verify(state)) as KeptState;
    const there = this.#elsewhere?.of(state);
    if (there === undefined) throw new Error("it is of no bridge that runs now");
    return { ...((await there.verify(state)) as KeptState), there };
  }

  async of(
    request: ServerContext["mcpReq"],
    method: Method,
    params: object,
  ): Promise<GivenAnswers> {
    const call = hashOf(method, params);
    const state = request.requestState<KeptState>();
    if (state !== undefined && state.call !== call) {
      throw invalid("This requestState belongs to another call. Call again without it.");
    }
    if (state !== undefined && !(await (state.there ?? this.questions).use(state.nonce))) {
      throw invalid("This requestState was used already. Call again without it.");
    }
    return {
      answers: { ...state?.answers, ...request.inputResponses },
      areBound: state !== undefined,
      ask: async (inputRequests, answers) => {
        const nonce = randomUUID();
        this.#open.set(nonce, true);
        const requestState = this.#prefix + (await this.#codec.mint({ call, nonce, answers }));
        return inputRequired({ inputRequests, requestState });
      },
    };
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(RpcErrorCode.invalidParams, message);
}

function hashOf(method: string, params: object): string {
  const { name, uri, arguments: args } = params as Record<string, unknown>;
  const text = JSON.stringify([method, name, uri, args], (_, value) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(text).digest("base64url");
}

// Asks a client without a session, which cannot be asked during a call: the call ends with the question, and the
// client calls again with the answer.
class RequestLine implements ClientLine {
  readonly #request: ServerContext["mcpReq"];
  readonly #given: GivenAnswers;
  readonly #used: Record<string, ClientAnswer> = {};

  constructor(request: ServerContext["mcpReq"], given: GivenAnswers) {
    this.#request = request;
    this.#given = given;
  }

  get isRepeated(): boolean {
    return this.#given.areBound;
  }

  answers(method: ClientMethod): boolean {
    return answersRequests(capabilitiesOf(this.#request), method);
  }

  hears(level: LogLevel): boolean {
    const envelope = this.#request.envelope as Envelope | undefined;
    return reaches(level, envelope?.[LOG_LEVEL_META_KEY]);
  }

  log(level: LogLevel, data: string): void {
    if (!this.hears(level)) return;
    const params = { level, data };
    void this.#request.notify({ method: "notifications/message", params }).catch(() => {});
  }

  async ask<Name extends string>(requests: Readonly<Record<Name, ClientRequest>>) {
    const missing: InputRequests = {};
    const answers: Record<string, ClientAnswer> = {};
    for (const [name, { isBound, ...request }] of Object.entries<ClientRequest>(requests)) {
      const { answers: all, areBound } = this.#given;
      const counts = Object.hasOwn(all, name) && (areBound || isBound !== true);
      const given = counts ? all[name] : undefined;
      if (typeof given === "object" && given !== null) answers[name] = given as ClientAnswer;
      // The tool defines the request; the client validates it.
      else missing[name] = request as InputRequests[string];
    }
    Object.assign(this.#used, answers);
    if (Object.keys(missing).length === 0) return answers as Record<Name, ClientAnswer>;
    throw new AwaitingAnswers(await this.#given.ask(missing, this.#used));
  }
}

function asProtocolError(error: unknown): unknown {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  if (error instanceof ProtocolError || typeof code !== "number") return error;
  const { uri } = (data ?? {}) as { uri?: unknown };
  if (code === RESOURCE_NOT_FOUND) return new ResourceNotFoundError(String(uri), String(message));
  const known = code === RpcErrorCode.refused ? RpcErrorCode.internal : code;
  return new ProtocolError(known, String(message), data);
}
