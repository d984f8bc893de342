import { printable } from "@ccbridge/registry";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JsonRpcMessage } from "../../http/json-rpc.js";
import type { ServeSession, SessionTransport } from "../transport/session-transport.js";
import { appsCapability } from "./apps.js";
import { registerCompletion } from "./completion.js";
import { promptHandlers } from "./prompts.js";
import { registerResources } from "./resources.js";
import type { Served } from "./serve.js";
import { SessionLines } from "./session-line.js";
import { registerTools } from "./tools.js";

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
  logging: {},
};

/** The server of all clients with sessions, in the SDK's hands. */
export function createServer(served: Served): ServeSession {
  const { version, instructions, tools, resources, prompts, source, offered, calls } = served;
  const registerPrompts = promptHandlers(prompts, tools);
  const hasApps = resources.some(({ isApp }) => isApp);
  const offeredCapabilities = hasApps
    ? { ...capabilities, extensions: appsCapability }
    : capabilities;
  return async (transport, client) => {
    const server = new Server(
      { name: "ccbridge", title: "ccbridge", version },
      { capabilities: offeredCapabilities, instructions, jsonSchemaValidator: noValidator },
    );
    const session = new AbortController();
    // Before the SDK's own handler, which is added to this one: it aborts every call.
    transport.onclose = () => session.abort();
    const { gate, ...view } = served.view({
      ...client,
      sessionId: transport.sessionId,
      software: () => client.software ?? softwareOf(server),
    });
    const lines = new SessionLines(server);
    const context = { ...served.context, ...view, offered };
    const closers = [
      registerTools(server, transport, {
        source,
        context,
        gate,
        calls,
        lines,
        session: session.signal,
        software: client.software,
      }),
      registerResources(server, { context, gate, calls, resources }),
      () => context.providers.events.release(),
    ];
    server.onclose = () => {
      for (const close of closers) close();
    };
    registerPrompts(server, context, lines);
    registerCompletion(server, { context, resources, prompts });
    await server.connect(transport as Transport);
    describe(transport, server);
  };
}

/** Takes note of the version of MCP in a client's first message, which the server keeps for itself. */
function describe(transport: SessionTransport, server: Server): void {
  const { onmessage } = transport;
  let protocol: string | undefined;
  transport.onmessage = (message: JsonRpcMessage, extra?: never) => {
    const asked = message.method === "initialize" ? message.params?.protocolVersion : undefined;
    if (typeof asked === "string") protocol = printable(asked).slice(0, 32);
    transport.onmessage = onmessage;
    onmessage?.(message as never, extra);
  };
  transport.describe = () => ({ software: softwareOf(server), protocol });
}

/** The name and version of a client's program, as it gives them. */
function softwareOf(server: Server): string | undefined {
  const { name, version } = server.getClientVersion() ?? {};
  return name === undefined ? undefined : printable(`${name} ${version}`).slice(0, 80);
}
