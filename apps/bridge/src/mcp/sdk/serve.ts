import { instructions, type Tool, type ToolContext } from "@ccbridge/mcp-tools";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ServeSession } from "../transport/http-transport.js";
import { registerCompletion } from "./completion.js";
import { promptHandlers } from "./prompts.js";
import { registerResources } from "./resources.js";
import { toolHandlers } from "./tools.js";

export interface McpServerOptions {
  version: string;
  tools: readonly Tool[];
  context: Pick<ToolContext, "providers" | "settings" | "hostFolders">;
}

/** The SDK builds a JSON schema validator per server unless it is given one; ours needs none. */
const noValidator = {
  getValidator: () => {
    throw new Error("this server asks its clients for nothing that would need validation");
  },
};

const capabilities = {
  tools: {},
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
};

export function createServe(options: McpServerOptions): ServeSession {
  const registerTools = toolHandlers(options);
  const registerPrompts = promptHandlers(options);
  return async (transport) => {
    const server = new Server(
      { name: "ccbridge", title: "ccbridge", version: options.version },
      { capabilities, instructions, jsonSchemaValidator: noValidator },
    );
    registerTools(server);
    registerResources(server, options.context);
    registerPrompts(server);
    registerCompletion(server, options.context);
    await server.connect(transport as Transport);
  };
}
