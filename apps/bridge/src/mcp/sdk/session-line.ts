import {
  type ClientAnswer,
  type ClientLine,
  type ClientMethod,
  type ClientRequest,
  type LogLevel,
  reaches,
  ToolError,
} from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  type ClientCapabilities,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { RequestId } from "../../http/json-rpc.js";

/** A person may look at the computer first; most clients give up on the call before. */
const ANSWER_MS = 300_000;

const answerSchemas = {
  "elicitation/create": ElicitResultSchema,
  "sampling/createMessage": CreateMessageResultSchema,
  "roots/list": ListRootsResultSchema,
} as const;

const capabilityOf = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const satisfies Record<ClientMethod, keyof ClientCapabilities>;

/** Whether a client that says this of itself answers such requests. */
export function declares(
  capabilities: { readonly [Name in keyof ClientCapabilities]?: unknown } | undefined,
  method: ClientMethod,
): boolean {
  return capabilities?.[capabilityOf[method]] !== undefined;
}

/** The lines of one session, whose client says once what it wants to hear. */
export class SessionLines {
  readonly server: Server;
  /** The least that a message must matter; without it the client wants none. */
  level: LogLevel | undefined;

  constructor(server: Server) {
    this.server = server;
    server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
      this.level = params.level;
      return {};
    });
  }

  /** The line of a call. */
  of(id: RequestId): SessionLine {
    return new SessionLine(this, id);
  }
}

/** The line to a client with a session: it is asked while its call waits. Every call has one. */
class SessionLine implements ClientLine {
  readonly #session: SessionLines;
  readonly #id: RequestId;

  constructor(session: SessionLines, id: RequestId) {
    this.#session = session;
    this.#id = id;
  }

  answers(method: ClientMethod): boolean {
    return declares(this.#session.server.getClientCapabilities(), method);
  }

  hears(level: LogLevel): boolean {
    return reaches(level, this.#session.level);
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

  /** What tells the client how far its call is. */
  progress(progressToken: RequestId): (message: string) => void {
    let progress = 0;
    return (message) => {
      progress += 1;
      this.#notify("notifications/progress", { progressToken, progress, message });
    };
  }

  async #ask({ method, params }: ClientRequest): Promise<ClientAnswer> {
    if (!this.answers(method)) throw unanswered(method, "it does not declare that it can");
    try {
      const options = { relatedRequestId: this.#id, timeout: ANSWER_MS };
      return await this.#session.server.request(
        { method, ...(params === undefined ? {} : { params }) } as never,
        answerSchemas[method],
        options,
      );
    } catch (error) {
      throw unanswered(method, error instanceof Error ? error.message : String(error));
    }
  }

  #notify(method: string, params: Record<string, unknown>): void {
    // A client that is gone misses nothing it could use.
    this.#session.server
      .notification({ method, params } as never, { relatedRequestId: this.#id })
      .catch(() => {});
  }
}

function unanswered(method: ClientMethod, why: string): ToolError {
  return new ToolError(
    `The client did not answer ${method}: ${why}.`,
    "Nothing was done. Call again from a client that answers such requests.",
  );
}
