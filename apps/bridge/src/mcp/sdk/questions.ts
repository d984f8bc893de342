import type { ClientAnswer, ClientLine, ClientMethod, ClientRequest } from "@ccbridge/mcp-tools";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ErrorCode } from "../../http/json-rpc.js";
import { declares } from "./session-line.js";

/** What a client without a session can do: each of its requests says so. */
export function capabilitiesOf(
  envelope: ServerContext["mcpReq"]["envelope"],
): ClientCapabilities | undefined {
  // The SDK checks the envelope but does not type it.
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as {
    [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  };
  return capabilities;
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
  readonly #capabilities: ClientCapabilities | undefined;
  readonly #codec: RequestStateCodec<Answered>;
  readonly #call: string;
  /** All that the client has answered, now and before. */
  readonly #given: Readonly<Record<string, unknown>>;
  /** As much of it as somebody asked for. */
  readonly #answers: Record<string, ClientAnswer> = {};

  constructor(
    { envelope, inputResponses, requestState }: ServerContext["mcpReq"],
    call: string,
    codec: RequestStateCodec<Answered>,
  ) {
    this.result = new Promise((resolve) => {
      this.#end = resolve;
    });
    const before = requestState<Answered>();
    if (before !== undefined && before.call !== call) {
      const message = "This requestState belongs to another call. Call again without it.";
      throw new ProtocolError(ErrorCode.invalidParams, message);
    }
    this.#capabilities = capabilitiesOf(envelope);
    this.#codec = codec;
    this.#call = call;
    this.#given = { ...before?.answers, ...inputResponses };
  }

  /** Aborted when something was asked for: nobody waits for this call any more. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  answers(method: ClientMethod): boolean {
    return declares(this.#capabilities, method);
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
