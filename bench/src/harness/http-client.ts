import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Node's own client with keep-alive. The SDK's client would add its cost to both sides. */
export class HttpClient {
  readonly #agent: Agent;
  readonly #port: number;

  constructor(port: number, sockets = 1) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  send(
    method: "POST" | "DELETE",
    path: string,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: "127.0.0.1",
          port: this.#port,
          method,
          path,
          headers: {
            ...(body === "" ? {} : { "content-type": "application/json" }),
            "content-length": Buffer.byteLength(body),
            accept: "application/json, text/event-stream",
            ...headers,
          },
        },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8");
          incoming.on("data", (piece) => {
            text += piece;
          });
          incoming.on("end", () =>
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }),
          );
          incoming.on("error", reject);
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
