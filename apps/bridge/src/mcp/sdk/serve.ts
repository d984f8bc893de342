import {
  prompts as allPrompts,
  resources as allResources,
  builtInNames,
  OfferedCatalog,
  type Prompt,
  pageCaller,
  type Resource,
  type SessionContext,
  type Tool,
  type ToolGate,
  ToolSource,
} from "@ccbridge/mcp-tools";
import type { ClientFacts, ServeSession } from "../transport/session-transport.js";
import { CallGate } from "./calls.js";
import { toolEntry } from "./tool-entry.js";

export interface McpServerOptions {
  version: string;
  instructions: string;
  tools: readonly Tool[];
  /** All that there are, unless the owner of the server has others. */
  resources?: readonly Resource[];
  prompts?: readonly Prompt[];
  /** How a tool is listed, where its schema is not to be made from its arguments. */
  toEntry?: typeof toolEntry;
  context: Omit<SessionContext, "offered">;
  /** What a client sees and may do, by who it is and how it connected. */
  view(session: OpenedSession): SessionView;
}

/** A session that begins. */
interface OpenedSession extends Omit<ClientFacts, "software"> {
  sessionId: string;
  /** What the client's program says it is, once it has said so. */
  software(): string | undefined;
}

interface SessionView extends Pick<SessionContext, "providers" | "capabilities" | "servers"> {
  gate?: ToolGate | undefined;
}

/** What all sessions of a server have in common. */
export interface Served extends Omit<McpServerOptions, "tools"> {
  tools: readonly Tool[];
  resources: readonly Resource[];
  prompts: readonly Prompt[];
  source: ToolSource;
  offered: OfferedCatalog;
  calls: CallGate;
}

/**
 * Loads the part that needs the SDK. It takes a fifth of the start of a bridge, so it comes with the first
 * client, or a little before.
 */
export function loadSdk() {
  return import("./server.js");
}

export function createServe(options: McpServerOptions): ServeSession {
  const { toEntry = toolEntry } = options;
  const served: Served = {
    ...options,
    resources: options.resources ?? allResources,
    prompts: options.prompts ?? allPrompts,
    calls: new CallGate(),
    source: new ToolSource(options.tools, (tool) => toEntry(tool, options.context.settings)),
    offered: new OfferedCatalog(
      options.context.providers,
      // Names of tools that are switched off stay theirs: a client may know them from elsewhere.
      builtInNames,
      new Map([["page", pageCaller]]),
    ),
  };
  let serve: Promise<ServeSession> | undefined;
  return async (transport, client) => {
    serve ??= loadSdk().then(({ createServer }) => createServer(served));
    await (await serve)(transport, client);
  };
}
