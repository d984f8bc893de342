/** MCP Apps: views of a server that a client shows inside a chat. */
const APPS_EXTENSION = "io.modelcontextprotocol/ui";

const APP_TYPE = "text/html;profile=mcp-app";

/** What this server says of it, where it has a view. */
export const appsCapability = { [APPS_EXTENSION]: { mimeTypes: [APP_TYPE] } };

/** Whether a client says that it shows views of the one kind that there is. */
export function rendersApps(
  capabilities: { extensions?: Record<string, object> | undefined } | undefined,
): boolean {
  const { [APPS_EXTENSION]: apps } = capabilities?.extensions ?? {};
  if (apps === undefined) return false;
  const { mimeTypes } = apps as { mimeTypes?: unknown };
  return Array.isArray(mimeTypes) ? mimeTypes.includes(APP_TYPE) : true;
}
