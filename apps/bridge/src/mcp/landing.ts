import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientConfig } from "../config/client-configs.js";
import { ownOrigin } from "../http/forwarding.js";
import { isBrowser, sendPage } from "../http/page.js";

export interface LandingFacts {
  version: string;
  computers: { list(): readonly unknown[] };
  clients: { readonly required: boolean };
  settings: { readonly linkCommand: string };
  /** The address that MCP clients use; empty: the one of the request. */
  publicUrl: string;
}

export type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * The root of the MCP port: the dashboard in a browser, and a text elsewhere. A bridge
 * that was built without the dashboard shows the text to browsers too.
 */
export function registerLanding(
  app: FastifyInstance,
  { version, computers, clients, settings, publicUrl }: LandingFacts,
  dashboard: SendPage | undefined,
): void {
  app.get("/", async (request, reply) => {
    if (dashboard !== undefined && isBrowser(request)) return dashboard(request, reply);
    const url = `${ownOrigin(request, publicUrl)}/mcp`;
    const token = clients.required ? "YOUR_TOKEN" : undefined;
    const { text } = clientConfig("claude-code", { url, token, command: [] });
    const count = computers.list().length;
    const linked = count === 1 ? "1 computer is linked" : `${count} computers are linked`;
    return sendPage(request, reply, {
      title: `ccbridge ${version}`,
      parts: [
        {
          text: `This bridge lets AI clients work inside Minecraft through ComputerCraft. ${linked} now (see /health for more). MCP clients connect to:`,
        },
        { lines: [url] },
        { text: "For Claude Code that is, in a shell:" },
        { lines: [text] },
        {
          text: "For other clients, start the bridge's program with --print-client-config <client>. To link a computer, type this on it in the game:",
        },
        { lines: [settings.linkCommand] },
        {
          text:
            dashboard === undefined
              ? "This bridge was built without its dashboard. From a clone, `pnpm build` builds it; then start the bridge again."
              : "Open this address in a browser for the dashboard.",
        },
      ],
    });
  });
}
