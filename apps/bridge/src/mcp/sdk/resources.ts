import {
  findResource,
  listResources,
  type Resource,
  readGated,
  type SessionContext,
  Subscriptions,
  seesResource,
  type ToolGate,
} from "@ccbridge/mcp-tools";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Caller } from "../transport/session-transport.js";
import { rendersApps } from "./apps.js";
import type { CallGate } from "./calls.js";
import { throwNotFound } from "./errors.js";

export interface RegisterResourcesOptions {
  context: SessionContext;
  gate: ToolGate | undefined;
  calls: CallGate;
  resources: readonly Resource[];
}

/** Serves the resources to one client. Call the returned function when it is gone. */
export function registerResources(
  server: Server,
  { context, gate, calls, resources: all }: RegisterResourcesOptions,
): () => void {
  const resources = all.filter((resource) => seesResource(resource, gate));
  const subscriptions = new Subscriptions({
    context,
    find: (uri) => findResource(uri, resources),
    // Nobody who is gone, or does not listen, misses anything: the next read shows it all.
    updated: (uri) => void server.sendResourceUpdated({ uri }).catch(() => {}),
    listChanged: () => void server.sendResourceListChanged().catch(() => {}),
  });
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { requestInfo }) => {
    const caller = requestInfo as Partial<Caller> | undefined;
    const seesApps = caller?.rendersApps ?? rendersApps(server.getClientCapabilities());
    const listed = seesApps ? resources : resources.filter(({ isApp }) => isApp !== true);
    const list = await listResources(context, params?.cursor, listed).catch((error) =>
      throwNotFound(error),
    );
    const { entries, next } = list;
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
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { signal }) =>
    calls.run(uri, async () => {
      const call = { ...context, signal };
      const content = await readGated(uri, call, resources, gate).catch((error) =>
        throwNotFound(error, uri),
      );
      return { contents: [{ uri, ...content }] };
    }),
  );
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    await subscriptions.subscribe(uri).catch((error) => throwNotFound(error, uri));
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscriptions.unsubscribe(uri);
    return {};
  });
  return () => subscriptions.close();
}
