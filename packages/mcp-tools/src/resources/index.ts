import { computerResource, computersResource } from "./computers.js";
import {
  type LookContext,
  matchTemplate,
  type Resource,
  type ResourceContent,
  type ResourceEntry,
  ResourceNotFound,
  type Variables,
} from "./define-resource.js";
import { eventsResource } from "./events.js";
import { fileResource } from "./files.js";
import { screenResource } from "./screen.js";

/** Every kind of resource. Another one is a file beside these and an entry here. */
export const resources: readonly Resource[] = [
  computersResource,
  computerResource,
  eventsResource,
  screenResource,
  fileResource,
];

/** Entries of one page of a list. */
const PAGE = 100;

export interface FoundResource {
  resource: Resource;
  variables: Variables;
}

/** The resource of an address. Throws a {@link ResourceNotFound} for an address of another kind. */
export function findResource(uri: string): FoundResource {
  for (const resource of resources) {
    const variables = matchTemplate(resource.template, uri);
    if (variables !== undefined) return { resource, variables };
  }
  const templates = resources.map(({ template }) => template).join(", ");
  throw new ResourceNotFound(`No resource has this address. There are ${templates}.`);
}

/** Those that can be listed, a page at a time. */
export function listResources(
  context: LookContext,
  cursor?: string,
): { entries: (ResourceEntry & { mimeType: string })[]; next?: string } {
  const offset = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new ResourceNotFound("That is no cursor of this list.");
  }
  const all = resources.flatMap((resource) =>
    (resource.list?.(context) ?? []).map((entry) => ({ ...entry, mimeType: resource.mimeType })),
  );
  const end = offset + PAGE;
  return { entries: all.slice(offset, end), ...(end < all.length ? { next: String(end) } : {}) };
}

export async function readResource(
  uri: string,
  context: LookContext,
): Promise<ResourceContent & { mimeType: string }> {
  const { resource, variables } = findResource(uri);
  return { mimeType: resource.mimeType, ...(await resource.read(variables, context)) };
}
