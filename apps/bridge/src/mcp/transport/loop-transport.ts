import { ErrorCode, type JsonRpcMessage, type RequestId } from "../../http/json-rpc.js";
import { limits } from "../../limits.js";
import { type Caller, SESSION_ENDED, type SessionTransport, Use } from "./session-transport.js";

/** An error that the server of a session answered with. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function sessionEnded(): AnswerError {
  return new AnswerError({ code: ErrorCode.refused, message: SESSION_ENDED });
}

/** What goes with one request through a loop. */
export interface LoopCall {
  /** Whose call it is, by its address: each address may have a limited number of calls open. */
  client: string;
  /** Aborted when the client hangs up, which is how clients without sessions cancel. */
  gone: AbortSignal;
  /** Takes what the server says about this request before it answers. */
  notify(message: JsonRpcMessage): void;
  line?: Caller["line"];
  rendersApps?: Caller["rendersApps"];
}

interface Waiting extends LoopCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A session inside of this process: clients without sessions ask the same server as all others. */
export class LoopTransport implements SessionTransport {
  readonly sessionId: string;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Takes what the server says by itself. */
  onnotification?: ((message: JsonRpcMessage) => void) | undefined;
  /** Called when the session ends, from either side. */
  onend?: (() => void) | undefined;
  readonly #waiting = new Map<RequestId, Waiting>();
  /** How many each client has open, here and on other loops. */
  readonly #openBy: Map<string, number>;
  #requests = 0;
  #closed = false;

  constructor(sessionId: string, openBy: Map<string, number> = new Map()) {
    this.sessionId = sessionId;
    this.#openBy = openBy;
  }

  get use(): Use {
    return this.#waiting.size > 0 ? Use.calling : Use.listening;
  }

  get openCalls(): number {
    return this.#waiting.size;
  }

  async start(): Promise<void> {}

  /** Asks the server. Rejects with an {@link AnswerError} when it answers with one. */
  request(method: string, params: object | undefined, call: LoopCall): Promise<unknown> {
    if (this.#closed) return Promise.reject(sessionEnded());
    const open = this.#openBy.get(call.client) ?? 0;
    if (open >= limits.callsPerSession) {
      const message = `${limits.callsPerSession} calls of this address are open, which is the limit.`;
      return Promise.reject(new AnswerError({ code: ErrorCode.refused, message }));
    }
    this.#openBy.set(call.client, open + 1);
    this.#requests += 1;
    const id = this.#requests;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { ...call, resolve, reject });
    });
    const caller: Caller = {
      headers: {},
      onGone: (listener) => call.gone.addEventListener("abort", listener, { once: true }),
      line: call.line,
      rendersApps: call.rendersApps,
    };
    const message = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
    this.#deliver(message, caller);
    const cancel = () => this.#cancel(id);
    if (call.gone.aborted) cancel();
    else call.gone.addEventListener("abort", cancel, { once: true });
    return answer;
  }

  async send(
    message: JsonRpcMessage,
    options?: { relatedRequestId?: RequestId | undefined },
  ): Promise<void> {
    if (message.method !== undefined) {
      const { relatedRequestId } = options ?? {};
      if (relatedRequestId === undefined) this.onnotification?.(message);
      else this.#waiting.get(relatedRequestId)?.notify(message);
      return;
    }
    if (message.id === undefined) return;
    const waiting = this.#end(message.id);
    if (waiting === undefined) return;
    const { result, error } = message as {
      result?: unknown;
      error?: { code: number; message: string };
    };
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new AnswerError(error));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(sessionEnded());
    this.onend?.();
  }

  /** Tells the server, which does not answer what is cancelled. */
  #cancel(id: RequestId): void {
    const waiting = this.#end(id);
    if (waiting === undefined) return;
    const params = { requestId: id, reason: "The client hung up." };
    this.#deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    waiting.reject(new AnswerError({ code: ErrorCode.cancelled, message: "Request cancelled" }));
  }

  /** Nobody waits for this call. */
  #end(id: RequestId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    const left = (this.#openBy.get(waiting.client) ?? 1) - 1;
    if (left > 0) this.#openBy.set(waiting.client, left);
    else this.#openBy.delete(waiting.client);
    return waiting;
  }

  #deliver(message: object, requestInfo?: Caller): void {
    this.onmessage?.(message as never, { requestInfo } as never);
  }
}
