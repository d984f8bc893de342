import { ccpmFiles, installer, programText } from "@ccbridge/lua-agent";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";

/** What the link port serves to `wget` and package managers in the game, under its own address. */
export function registerAgentFiles(
  app: FastifyInstance,
  wsHandler: (socket: WebSocket, request: FastifyRequest) => void,
): void {
  const serve = (url: string, find: (request: FastifyRequest) => AgentFile | undefined) => {
    app.route({
      method: "GET",
      url,
      handler: async (request, reply) => send(reply, find(request)),
      // A computer may link on any path, these included.
      wsHandler,
    });
  };
  serve("/install.lua", (request) => {
    const { token } = request.query as { token?: string | string[] };
    const body = installer({
      url: ownUrl(request),
      ...(typeof token === "string" ? { token } : {}),
    });
    return lua(body);
  });
  // Another bridge that finds this port taken asks who is here. More is nobody's business.
  serve("/health", () => json({ ok: true, name: "ccbridge", side: "link" }));
  serve("/mcp-computer.lua", () => lua(programText));
  serve("/ccpm/*", (request) => {
    const { "*": path } = request.params as { "*": string };
    return ccpmFiles({ baseUrl: `${ownUrl(request)}/ccpm` }).get(path);
  });
}

interface AgentFile {
  body: string;
  contentType: string;
}

function lua(body: string): AgentFile {
  return { body, contentType: "text/plain; charset=utf-8" };
}

function json(value: unknown): AgentFile {
  return { body: JSON.stringify(value), contentType: "application/json; charset=utf-8" };
}

async function send(reply: FastifyReply, file: AgentFile | undefined): Promise<FastifyReply> {
  if (file === undefined) return reply.code(404).send("There is no such file.\n");
  return reply
    .type(file.contentType)
    .header("Cache-Control", "no-cache")
    .header("X-Content-Type-Options", "nosniff")
    .send(file.body);
}

/** The address under which this request found the bridge: the one that the computer can reach. */
function ownUrl({ headers }: FastifyRequest): string {
  const secure = headers["x-forwarded-proto"] === "https";
  return `${secure ? "https" : "http"}://${headers.host}`;
}
