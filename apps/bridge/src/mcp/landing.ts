import type { FastifyInstance } from "fastify";
import { clientConfig } from "../clients/client-config.js";
import { sendPage } from "../http/page.js";

export interface LandingFacts {
  version: string;
  computers: number;
  /** Whether clients need a token. */
  needsToken: boolean;
  /** The line that links a computer, typed on it in the game. */
  gameCommand: string;
}

/** What somebody sees who opens the MCP port in a browser. */
export function registerLanding(app: FastifyInstance, facts: () => LandingFacts): void {
  app.get("/", async (request, reply) => {
    const { version, computers, needsToken, gameCommand } = facts();
    const url = `http://${request.headers.host}/mcp`;
    const token = needsToken ? "YOUR_TOKEN" : undefined;
    const { text } = clientConfig("claude-code", { url, token, program: "" });
    const linked = computers === 1 ? "1 computer is linked" : `${computers} computers are linked`;
    return sendPage(request, reply, {
      title: `ccbridge ${version}`,
      parts: [
        {
          text: `This bridge lets AI clients work inside Minecraft through ComputerCraft. ${linked} now (/health tells more). MCP clients connect to:`,
        },
        { lines: [url] },
        { text: "For Claude Code that is, in a shell:" },
        { lines: [text] },
        {
          text: "For other clients, start the bridge's program with --print-client-config <client>. To link a computer, type on it in the game:",
        },
        { lines: [gameCommand] },
      ],
    });
  });
}
