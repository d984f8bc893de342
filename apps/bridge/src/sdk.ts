// The only file that knows the MCP SDK. Another generation of it is another file like this one.
import {
  type CallResult,
  instructions,
  runTool,
  type Tool,
  type ToolContext,
} from "@ccbridge/mcp-tools";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ListToolsRequestSchema,
  McpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { HttpTransport } from "./mcp/http-transport.js";
import type { JsonRpcMessage } from "./mcp/json-rpc.js";

export type { JSONRPCMessage, Transport };

export const supportedProtocolVersions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

export type MessageKind = "request" | "initialize" | "notification" | "response" | "invalid";

/** What the SDK's server will take a message for. Anything it would ignore is invalid. */
export function messageKind(message: unknown): MessageKind {
  if (isJSONRPCRequest(message)) {
    // The method first: a schema that does not match costs far more than one that does.
    const initialize = message.method === "initialize" && isInitializeRequest(message);
    return initialize ? "initialize" : "request";
  }
  if (isJSONRPCNotification(message)) return "notification";
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return "response";
  return "invalid";
}

export interface McpServerOptions {
  version: string;
  tools: readonly Tool[];
  context: Pick<ToolContext, "registry" | "settings" | "hostFolders">;
}

/** Serves the tools to the client on the other end of a transport. One server per session. */
export type ServeSession = (transport: HttpTransport) => Promise<void>;

/** The SDK builds a JSON schema validator per server unless it is given one; ours needs none. */
const noValidator = {
  getValidator: () => {
    throw new Error("this server asks its clients for nothing that would need validation");
  },
};

export function createServe({ version, tools, context }: McpServerOptions): ServeSession {
  // Made for the first client that asks: it costs start-up time.
  let listed: ReturnType<typeof toolEntry>[] | undefined;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return async (transport) => {
    const server = new Server(
      { name: "ccbridge", title: "ccbridge", version },
      { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noValidator },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => {
      listed ??= tools.map(toolEntry);
      return { tools: listed };
    });
    server.setRequestHandler(CallToolRequestSchema, (request, extra): Promise<CallResult> => {
      const tool = byName.get(request.params.name);
      if (tool === undefined) {
        const names = [...byName.keys()].join(", ");
        throw new McpError(
          ErrorCode.InvalidParams,
          `There is no tool "${request.params.name.slice(0, 64)}". The tools are ${names}.`,
        );
      }
      const token = request.params._meta?.progressToken;
      let progress = 0;
      return runTool(tool, request.params.arguments, {
        ...context,
        signal: extra.signal,
        progress:
          token === undefined
            ? undefined
            : (message) => {
                progress += 1;
                const params = { progressToken: token, progress, message };
                // A client that is gone misses nothing it could use.
                extra
                  .sendNotification({ method: "notifications/progress", params })
                  .catch(() => {});
              },
      });
    });
    await server.connect(transport as Transport);
  };
}

function toolEntry({ name, title, description, input, output, annotations }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: objectSchema(input, "input"),
    ...(output === undefined ? {} : { outputSchema: objectSchema(output, "output") }),
    annotations: { title, ...annotations },
  };
}

function objectSchema(schema: z.ZodObject, io: "input" | "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-7", io });
  return rest as { type: "object"; properties?: Record<string, object>; required?: string[] };
}

/** The client's end of stdio. Loaded only where it is used: it costs start-up time. */
export async function stdioTransport(): Promise<Transport> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  return new StdioServerTransport();
}

/** For code that passes messages on without looking into them. */
export function asJsonRpc(message: JSONRPCMessage): JsonRpcMessage {
  return message as JsonRpcMessage;
}
