import {
  prompts as allPrompts,
  resources as allResources,
  tools as allTools,
  OfferedCatalog,
  type Prompt,
  pageCaller,
  type Resource,
  type SessionContext,
  type Tool,
  type ToolGate,
  ToolSource,
} from "@ccbridge/mcp-tools";
import { printable } from "@ccbridge/registry";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ClientFacts, ServeSession } from "../transport/session-transport.js";
import { CallGate } from "./calls.js";
import { registerCompletion } from "./completion.js";
import { promptHandlers } from "./prompts.js";
import { registerResources } from "./resources.js";
import { toolEntry } from "./tool-entry.js";
import { registerTools } from "./tools.js";

export interface McpServerOptions {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  /** All that there are, unless the owner of the server has others. */
  resources?: readonly Resource[];
  prompts?: readonly Prompt[];
  context: Omit<SessionContext, "offered">;
  /** What a client sees of all that there is, and may do, by who it is and how it connected. */
  view(session: OpenedSession): SessionView;
}

/** A session that begins. */
interface OpenedSession extends ClientFacts {
  sessionId: string;
  /** What the client's program says it is, once it has said so. */
  software(): string | undefined;
}

interface SessionView extends Pick<SessionContext, "providers" | "capabilities"> {
  gate?: ToolGate | undefined;
}

/** The SDK builds a JSON schema validator per server unless it is given one; ours needs none. */
const noValidator = {
  getValidator: () => {
    throw new Error("this server asks its clients for nothing that would need validation");
  },
};

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
};

export function createServe(options: McpServerOptions): ServeSession {
  const calls = new CallGate();
  const source = new ToolSource(options.tools, (tool) => toolEntry(tool, options.context.settings));
  // Names of tools that are switched off stay theirs: a client may know them from elsewhere.
  const reserved = allTools.map(({ name }) => name);
  const offered = new OfferedCatalog(
    options.context.providers,
    reserved,
    new Map([["page", pageCaller]]),
  );
  const { resources = allResources, prompts = allPrompts } = options;
  const registerPrompts = promptHandlers(prompts, options.tools);
  const { instructions } = options;
  return async (transport, client) => {
    const server = new Server(
      { name: "ccbridge", title: "ccbridge", version: options.version },
      { capabilities, instructions, jsonSchemaValidator: noValidator },
    );
    const session = new AbortController();
    // Before the SDK's own handler, which is added to this one: it aborts every call.
    transport.onclose = () => session.abort();
    const { gate, ...view } = options.view({
      ...client,
      sessionId: transport.sessionId,
      software: () => softwareOf(server),
    });
    const context = { ...options.context, ...view, offered };
    const closers = [
      registerTools(server, transport, { source, context, gate, calls, session: session.signal }),
      registerResources(server, { context, calls, resources }),
      () => context.providers.events.release(),
    ];
    server.onclose = () => {
      for (const close of closers) close();
    };
    registerPrompts(server, context);
    registerCompletion(server, { context, resources, prompts });
    await server.connect(transport as Transport);
  };
}

/** The name and version of a client's program, as it gives them. */
function softwareOf(server: Server): string | undefined {
  const { name, version } = server.getClientVersion() ?? {};
  return name === undefined ? undefined : printable(`${name} ${version}`).slice(0, 80);
}
