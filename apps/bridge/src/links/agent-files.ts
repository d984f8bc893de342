import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { ownOrigin } from "../http/forwarding.js";
import { type Page, sendPage } from "../http/page.js";

export interface AgentFilesOptions {
  wsHandler(socket: WebSocket, request: FastifyRequest): void;
  needsToken: boolean;
  /** The URL that computers use; empty: the one that they requested. */
  publicUrl: string;
  /** Whether computers had better link to another bridge. */
  isStopping(): boolean;
}

/** 170 KB of text, which most starts of a bridge do not need. */
const loadProgram = () => import("@ccbridge/lua-agent");

/** What the link port serves to `wget` and package managers in the game. */
export function registerAgentFiles(
  app: FastifyInstance,
  { wsHandler, needsToken, publicUrl, isStopping }: AgentFilesOptions,
): void {
  const ownUrl = (request: FastifyRequest) => ownOrigin(request, publicUrl);
  const route = (
    url: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) => app.route({ method: "GET", url, handler, wsHandler });
  const serve = (url: string, find: (request: FastifyRequest) => Promise<AgentFile | undefined>) =>
    route(url, async (request, reply) => send(reply, await find(request)));

  route("/", async (request, reply) =>
    sendPage(request, reply, landingPage(ownUrl(request), needsToken)),
  );
  serve("/install.lua", async (request) => {
    const { installer } = await loadProgram();
    const { token } = request.query as { token?: string | string[] };
    const body = installer({
      url: ownUrl(request),
      ...(typeof token === "string" ? { token } : {}),
    });
    return lua(body);
  });
  // For load balancers, and another bridge that finds this port in use. It shows nothing else.
  route("/health", async (_, reply) =>
    send(reply.code(isStopping() ? 503 : 200), json({ ok: true, name: "ccbridge", side: "link" })),
  );
  serve("/mcp-computer.lua", async () => lua((await loadProgram()).programText));
  for (const url of ["/ccpm", "/ccpm/"]) {
    route(url, async (request, reply) =>
      sendPage(request, reply, await packagesPage(ownUrl(request))),
    );
  }
  serve("/ccpm/*", async (request) => {
    const { "*": path } = request.params as { "*": string };
    return (await packageFiles(ownUrl(request))).get(path);
  });
}

async function packageFiles(url: string): Promise<Map<string, AgentFile>> {
  const { ccpmFiles } = await loadProgram();
  return ccpmFiles({ baseUrl: `${url}/ccpm`, bridge: { url, sha256 } });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function landingPage(url: string, needsToken: boolean): Page {
  const token = needsToken ? "?token=YOUR_TOKEN" : "";
  return {
    title: "The link port of ccbridge",
    parts: [
      { text: "Computers and turtles in Minecraft connect here. To link one, type this on it:" },
      { lines: [`wget run ${url}/install.lua${token}`] },
      ...(needsToken
        ? [{ text: "YOUR_TOKEN is a link token; ask the owner of this bridge for one." }]
        : []),
      {
        text: `Linking hands the computer over to anyone who controls this bridge. Package managers find the program at ${url}/ccpm/. MCP clients do not connect here, but to the MCP port.`,
      },
    ],
  };
}

async function packagesPage(url: string): Promise<Page> {
  const { programVersion } = await loadProgram();
  const base = `${url}/ccpm`;
  return {
    title: "Packages of ccbridge",
    parts: [
      {
        text: `This is a package registry with one package, mcp-computer ${programVersion}, for two package managers. In the game, with CCPM:`,
      },
      { lines: [`ccpm registry add ccbridge ${base}/`, "ccpm install mcp-computer"] },
      { text: "With the ccpm of TrapOS:" },
      { lines: [`ccpm registry add ${base}/ --type http`, "ccpm install mcp-computer"] },
      { text: "Its files:" },
      { lines: [...(await packageFiles(url)).keys()].map((path) => `${base}/${path}`) },
    ],
  };
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

function send(reply: FastifyReply, file: AgentFile | undefined): FastifyReply {
  if (file === undefined) return reply.code(404).send("There is no such file.\n");
  return reply
    .type(file.contentType)
    .header("Cache-Control", "no-cache")
    .header("X-Content-Type-Options", "nosniff")
    .send(file.body);
}
