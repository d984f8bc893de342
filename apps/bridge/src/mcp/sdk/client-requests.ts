import type { ClientAnswer, ClientRequest } from "@ccbridge/mcp-tools";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonRpcMessage, RequestId } from "../../http/errors.js";
import type { SessionTransport } from "./session-transport.js";

const ANSWER_MS = 300_000;

const answerSchemas = {
  "elicitation/create": ElicitResultSchema,
  "sampling/createMessage": CreateMessageResultSchema,
  "roots/list": ListRootsResultSchema,
} as const;

export class ClientRequests {
  readonly #transport: SessionTransport;
  readonly #open = new Map<RequestId, (answer: JsonRpcMessage | Error) => void>();
  #next = 0;

  constructor(transport: SessionTransport) {
    this.#transport = transport;
  }

  /** Asks the client during one of its calls. Rejects with the reason if there is no valid answer. */
  async ask({ method, params }: ClientRequest, call: RequestId): Promise<ClientAnswer> {
    const { result, error } = await this.#send(method, params, call);
    if (error !== undefined) throw new Error(error.message);
    const { success, data } = answerSchemas[method].safeParse(result);
    if (!success) throw new Error("its answer is not valid");
    return data as ClientAnswer;
  }

  receive(answer: JsonRpcMessage): void {
    if (answer.id !== undefined) this.#open.get(answer.id)?.(answer);
  }

  close(): void {
    for (const settle of [...this.#open.values()]) settle(new Error("its session ended"));
  }

  #send(method: string, params: object | undefined, call: RequestId): Promise<JsonRpcMessage> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const settle = (answer: JsonRpcMessage | Error) => {
        clearTimeout(timer);
        this.#open.delete(id);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      const timer = setTimeout(() => {
        const cancelled = { requestId: id, reason: "Request timed out" };
        this.#transport.send(
          { jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled },
          call,
        );
        settle(new Error("it took too long"));
      }, ANSWER_MS);
      this.#open.set(id, settle);
      const request = { jsonrpc: "2.0", id, method, ...(params && { params }) } as JsonRpcMessage;
      const isSent = this.#transport.send(request, call);
      if (!isSent) settle(new Error("it takes nothing but the answer"));
    });
  }
}
