// Baseline for everything over MCP: the SDK's server and transport behind Fastify, sessions in a
// map as in its examples, and one tool that does nothing.
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import Fastify from "fastify";

const sessions = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      sessions.set(id, transport);
    },
    onsessionclosed: (id) => {
      sessions.delete(id);
    },
    // The faster of the SDK's two modes, and the bridge's default.
    enableJsonResponse: true,
  });
  const server = new McpServer({ name: "floor", version: "0.0.0" });
  server.registerTool("no-op", { description: "Does nothing." }, () => ({
    content: [{ type: "text", text: "done" }],
  }));
  // The SDK's types do not hold under exactOptionalPropertyTypes.
  await server.connect(transport as Transport);
  return transport;
}

const app = Fastify();
app.get("/health", async () => ({ ok: true, sessions: sessions.size }));
app.route({
  method: ["POST", "DELETE"],
  url: "/mcp",
  handler: async (request, reply) => {
    const id = request.headers["mcp-session-id"];
    const transport = sessions.get(String(id)) ?? (await openSession());
    reply.hijack();
    await transport.handleRequest(request.raw, reply.raw, request.body);
  },
});
await app.listen({ host: "127.0.0.1", port: Number(process.env.MCP_PORT) });
