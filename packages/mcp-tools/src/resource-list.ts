import type { ProviderPort } from "@ccbridge/registry";
import { readOnly } from "./core/annotations.js";
import type { CallableTool, ToolFacts } from "./core/call.js";
import type { ToolContext } from "./core/define.js";
import {
  type FoundResource,
  matchTemplate,
  type ReadContext,
  type Resource,
  type ResourceContent,
  type ResourceEntry,
  ResourceNotFound,
} from "./core/resource.js";
import { builtInKinds } from "./kinds.js";

export const resources: readonly Resource[] = builtInKinds.flatMap((kind) => kind.resources ?? []);

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

export async function listResources(
  context: ReadContext,
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

/** The tool that shows the same as a resource: its rights and limits are those of the resource. */
export function resourceFacts({ shownBy }: Resource): ToolFacts {
  return { name: shownBy, annotations: readOnly, isOffered: false, isForOwners: false };
}

export function readableResource(
  uri: string,
  among: readonly Resource[] = resources,
): CallableTool<ResourceContent & { mimeType: string }> {
  const { resource, variables } = findResource(uri, among);
  return callOf(uri, { resource, variables }, undefined, async (context) => ({
    mimeType: resource.mimeType,
    ...(await resource.read(variables, context)),
  }));
}

export function followableResource(
  uri: string,
  among: readonly Resource[],
  run: () => Promise<void>,
): CallableTool<object> {
  return callOf(uri, findResource(uri, among), `subscription ${uri}`, async () => {
    await run();
    return {};
  });
}

function callOf<Outcome>(
  uri: string,
  { resource, variables }: FoundResource,
  polls: string | undefined,
  run: (context: ToolContext) => Promise<Outcome>,
): CallableTool<Outcome> {
  const facts = resourceFacts(resource);
  const findTargets = async (providers: ProviderPort) =>
    (await resource.findTargets?.(variables, providers)) ?? [];
  const holdsTargets = polls !== undefined && resource.follow !== undefined;
  return {
    facts,
    read: () => ({ tool: facts, args: { uri }, polls, holdsTargets, findTargets, run }),
  };
}
