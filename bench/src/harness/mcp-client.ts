import { HttpClient } from "./http-client.js";

const protocolVersion = "2025-06-18";

export class McpClient {
  readonly #http: HttpClient;
  #headers: Record<string, string> = {};
  #requests = 0;

  private constructor(http: HttpClient) {
    this.#http = http;
  }

  static async connect(port: number, sockets = 1): Promise<McpClient> {
    const client = new McpClient(new HttpClient(port, sockets));
    const clientInfo = { name: "bench", version: "0.0.0" };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const { headers } = await client.#send("initialize", params);
    client.#headers = {
      "mcp-session-id": String(headers["mcp-session-id"]),
      "mcp-protocol-version": protocolVersion,
    };
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    await client.#http.send("POST", "/mcp", JSON.stringify(initialized), client.#headers);
    return client;
  }

  static async session<T>(
    port: number,
    sockets: number,
    work: (client: McpClient) => Promise<T>,
  ): Promise<T> {
    const client = await McpClient.connect(port, sockets);
    const result = await work(client);
    await client.close();
    return result;
  }

  /** Throws unless the call succeeds; returns the response unparsed. */
  async call(name: string, args: Record<string, unknown>): Promise<string> {
    const { body } = await this.#send("tools/call", { name, arguments: args });
    if (body.includes('"isError":true')) throw new Error(`${name} failed: ${body.slice(0, 500)}`);
    return body;
  }

  async close(): Promise<void> {
    const { status } = await this.#http.send("DELETE", "/mcp", "", this.#headers);
    if (status !== 200) throw new Error(`the session did not end: ${status}`);
    this.#http.close();
  }

  async #send(method: string, params: unknown) {
    const message = { jsonrpc: "2.0", id: ++this.#requests, method, params };
    const reply = await this.#http.send("POST", "/mcp", JSON.stringify(message), this.#headers);
    if (reply.status !== 200 || !reply.body.includes('"result":')) {
      throw new Error(`${method}: ${reply.status} ${reply.body.slice(0, 500)}`);
    }
    return reply;
  }
}
