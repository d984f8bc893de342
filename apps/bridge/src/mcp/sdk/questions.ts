import {
  type ClientAnswer,
  type ClientLine,
  type ClientMethod,
  type ClientRequest,
  type LogLevel,
  reaches,
} from "@ccbridge/mcp-tools";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ErrorCode } from "../../http/json-rpc.js";
import { declares } from "./session-line.js";

/** What each request of a client without a session says of it. The SDK checks this but does not type it. */
interface Envelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [LOG_LEVEL_META_KEY]?: LogLevel;
}

function envelopeOf({ envelope = {} }: ServerContext["mcpReq"]): Envelope {
  return envelope as Envelope;
}

/** What a client without a session can do. */
export function capabilitiesOf(request: ServerContext["mcpReq"]): ClientCapabilities | undefined {
  return envelopeOf(request)[CLIENT_CAPABILITIES_META_KEY];
}

/** What a client keeps for us until it calls again, signed: the answers that it has already given. */
export interface Answered {
  /** The call that they belong to. */
  readonly call: string;
  readonly answers: Readonly<Record<string, ClientAnswer>>;
}

/**
 * The line to a client without a session. There nobody can be asked during a call: the call ends with what is
 * asked for, and the client calls again with the answers. Whoever asks does so before it does anything, so
 * beginning again changes nothing.
 */
export class Questions implements ClientLine {
  /** Resolves with what is asked for, once a tool asks for something that is not answered yet. */
  readonly result: Promise<InputRequiredResult>;
  #end: (result: InputRequiredResult) => void = () => {};
  readonly #asked = new AbortController();
  readonly #request: ServerContext["mcpReq"];
  readonly #codec: RequestStateCodec<Answered>;
  readonly #call: string;
  /** All that the client has answered, now and before. */
  readonly #given: Readonly<Record<string, unknown>>;
  /** As much of it as somebody asked for. */
  readonly #answers: Record<string, ClientAnswer> = {};

  constructor(request: ServerContext["mcpReq"], call: string, codec: RequestStateCodec<Answered>) {
    this.result = new Promise((resolve) => {
      this.#end = resolve;
    });
    const before = request.requestState<Answered>();
    if (before !== undefined && before.call !== call) {
      const message = "This requestState belongs to another call. Call again without it.";
      throw new ProtocolError(ErrorCode.invalidParams, message);
    }
    this.#request = request;
    this.#codec = codec;
    this.#call = call;
    this.#given = { ...before?.answers, ...request.inputResponses };
  }

  /** Aborted when something was asked for: nobody waits for this call. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  answers(method: ClientMethod): boolean {
    return declares(capabilitiesOf(this.#request), method);
  }

  hears(level: LogLevel): boolean {
    return reaches(level, envelopeOf(this.#request)[LOG_LEVEL_META_KEY]);
  }

  log(level: LogLevel, data: string): void {
    if (!this.hears(level)) return;
    const params = { level, data };
    void this.#request.notify({ method: "notifications/message", params }).catch(() => {});
  }

  async ask<Name extends string>(requests: Readonly<Record<Name, ClientRequest>>) {
    const missing: InputRequests = {};
    const answers: Record<string, ClientAnswer> = {};
    for (const [name, request] of Object.entries<ClientRequest>(requests)) {
      const given = Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
      if (typeof given === "object" && given !== null) answers[name] = given as ClientAnswer;
      // What a request may hold is for the tool to know; the client checks it.
      else missing[name] = request as InputRequests[string];
    }
    Object.assign(this.#answers, answers);
    if (Object.keys(missing).length === 0) return answers as Record<Name, ClientAnswer>;
    const requestState = await this.#codec.mint({ call: this.#call, answers: this.#answers });
    this.#end(inputRequired({ inputRequests: missing, requestState }));
    this.#asked.abort();
    throw new Error("The client calls again with the answers.");
  }
}
