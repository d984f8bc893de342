import { listResources, readResource, resources, Subscriptions } from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { notFound, orNotFound } from "./errors.js";
import type { McpServerOptions } from "./serve.js";

/** Lists, reads and follows the resources for one client. */
export function registerResources(server: Server, context: McpServerOptions["context"]): void {
  const subscriptions = new Subscriptions({
    context,
    // Nobody who is gone, or does not listen, misses anything: the next read shows it all.
    updated: (uri) => void server.sendResourceUpdated({ uri }).catch(() => {}),
    listChanged: () => void server.sendResourceListChanged().catch(() => {}),
  });
  server.onclose = () => subscriptions.close();
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const { entries, next } = orNotFound(() => listResources(context, params?.cursor));
    return { resources: entries, ...(next === undefined ? {} : { nextCursor: next }) };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: resources
      .filter(({ template }) => template.includes("{"))
      .map(({ name, title, description, mimeType, template }) => ({
        ...{ name, title, description, mimeType },
        uriTemplate: template,
      })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const content = await readResource(uri, context).catch((error) => notFound(error, uri));
    return { contents: [{ uri, ...content }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    orNotFound(() => subscriptions.subscribe(uri), uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscriptions.unsubscribe(uri);
    return {};
  });
}
