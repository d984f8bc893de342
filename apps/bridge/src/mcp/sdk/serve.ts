import { instructions, type Tool, type ToolContext } from "@ccbridge/mcp-tools";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ServeSession } from "../transport/http-transport.js";
import { CallGate } from "./calls.js";
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
  const calls = new CallGate();
  const registerTools = toolHandlers(options, calls);
  const registerPrompts = promptHandlers(options);
  return async (transport) => {
    const server = new Server(
      { name: "ccbridge", title: "ccbridge", version: options.version },
      { capabilities, instructions, jsonSchemaValidator: noValidator },
    );
    const session = new AbortController();
    // Before the SDK's own handler, which is added to this one: it aborts every call.
    transport.onclose = () => session.abort();
    registerTools(server, session.signal);
    registerResources(server, options.context, calls);
    registerPrompts(server);
    registerCompletion(server, options.context);
    await server.connect(transport as Transport);
  };
}
