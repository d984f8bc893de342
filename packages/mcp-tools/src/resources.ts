import { computerResource, computersResource } from "./computercraft/resources/computers.js";
import { eventsResource } from "./computercraft/resources/events.js";
import { fileResource } from "./computercraft/resources/files.js";
import { screenResource } from "./computercraft/resources/screen.js";
import { filteredEventsResource, serverEventsResource } from "./minecraft/resources/events.js";
import { serversResource } from "./minecraft/resources/servers.js";
import {
  type FoundResource,
  type LookContext,
  matchTemplate,
  type Resource,
  type ResourceContent,
  type ResourceEntry,
  ResourceNotFound,
} from "./resource/define.js";
import { readOnly } from "./tool/annotations.js";
import type { ToolContext } from "./tool/define.js";
import type { ToolFacts, ToolGate } from "./tool/gate.js";

/** Every kind of resource. A new one is a file in its kind's folder and an entry here. */
export const resources: readonly Resource[] = [
  computersResource,
  computerResource,
  eventsResource,
  screenResource,
  fileResource,
  serversResource,
  serverEventsResource,
  filteredEventsResource,
];

/** Entries of one page of a list. */
const PAGE = 100;

/** The resource at an address. Throws a {@link ResourceNotFound} if no template matches. */
export function findResource(uri: string, among = resources): FoundResource {
  for (const resource of among) {
    const variables = matchTemplate(resource.template, uri);
    if (variables !== undefined) return { resource, variables };
  }
  const templates = among.map(({ template }) => template).join(", ");
  throw new ResourceNotFound(`No resource has this address. The addresses are ${templates}.`);
}

/** Those that can be listed, a page at a time. */
export async function listResources(
  context: LookContext,
  cursor?: string,
  among = resources,
): Promise<{ entries: (ResourceEntry & { mimeType: string })[]; next?: string }> {
  const offset = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new ResourceNotFound("This cursor does not belong to this list.");
  }
  const lists = among.map(async ({ list, mimeType }) =>
    ((await list?.(context)) ?? []).map((entry) => ({ ...entry, mimeType })),
  );
  const all = (await Promise.all(lists)).flat();
  const end = offset + PAGE;
  return { entries: all.slice(offset, end), ...(end < all.length ? { next: String(end) } : {}) };
}

export async function readResource(
  uri: string,
  context: LookContext,
  among = resources,
): Promise<ResourceContent & { mimeType: string }> {
  const { resource, variables } = findResource(uri, among);
  return { mimeType: resource.mimeType, ...(await resource.read(variables, context)) };
}

/** Whether a client sees a resource: it does if it may use the tool that shows the same. */
export function seesResource({ shownBy }: Resource, gate: ToolGate | undefined): boolean {
  return gate === undefined || gate.allows(lookOf(shownBy));
}

/** Reads a resource as a call of the tool that shows the same, so that the same rights and limits apply. */
export async function readGated(
  uri: string,
  context: ToolContext,
  known: readonly Resource[],
  gate: ToolGate | undefined,
): Promise<Awaited<ReturnType<typeof readResource>>> {
  if (gate === undefined) return readResource(uri, context, known);
  const { resource } = findResource(uri, known);
  let content: Awaited<ReturnType<typeof readResource>> | undefined;
  const call = { tool: lookOf(resource.shownBy), args: { uri }, context };
  const refused = await gate.pass(call, async (own) => {
    content = await readResource(uri, own, known);
    return { content: [] };
  });
  if (content !== undefined) return content;
  const [why] = refused.content;
  throw new Error(why?.type === "text" ? why.text : "This resource cannot be read.");
}

function lookOf(name: string): ToolFacts {
  return { name, annotations: readOnly, isOffered: false };
}
