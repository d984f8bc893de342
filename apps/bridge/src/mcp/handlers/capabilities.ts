import type { ClientMethod } from "@ccbridge/mcp-tools";

/** MCP Apps: views of a server that a client shows inside a chat. */
const APPS_EXTENSION = "io.modelcontextprotocol/ui";
const APP_TYPE = "text/html;profile=mcp-app";

export function serverCapabilities(hasApps: boolean) {
  return {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
    logging: {},
    ...(hasApps ? { extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_TYPE] } } } : {}),
  };
}

export interface ClientCapabilities {
  readonly elicitation?: unknown;
  readonly sampling?: unknown;
  readonly roots?: unknown;
  readonly extensions?: Readonly<Record<string, object>> | undefined;
}

const capabilityOf = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const satisfies Record<ClientMethod, keyof ClientCapabilities>;

export function answersRequests(
  capabilities: ClientCapabilities | undefined,
  method: ClientMethod,
): boolean {
  return capabilities?.[capabilityOf[method]] !== undefined;
}

export function rendersApps(capabilities: ClientCapabilities | undefined): boolean {
  const { [APPS_EXTENSION]: apps } = capabilities?.extensions ?? {};
  if (apps === undefined) return false;
  const { mimeTypes } = apps as { mimeTypes?: unknown };
  return Array.isArray(mimeTypes) ? mimeTypes.includes(APP_TYPE) : true;
}
