import { annotationsOf, tools } from "@ccbridge/mcp-tools";
import type { Viewer } from "@ccbridge/protocol/dashboard";
import type { ProviderPort } from "@ccbridge/registry";
import type { Client } from "../../access/client.js";
import { allowsTool } from "../../access/tool-rules.js";
import { ViewError } from "./error.js";
import type { Watched } from "./watched.js";

/** What one viewer sees and may do, by its token. */
export interface Sight {
  readonly viewer: Viewer;
  readonly client: Client;
  /** The providers that it may see. */
  readonly providers: ProviderPort;
  /** What all viewers of the same providers look at together. */
  readonly watched: Watched;
}

const annotations = new Map(tools.map((tool) => [tool.name, annotationsOf(tool)]));

/**
 * What the page shows and does is what tools do, and the rights of a token are about tools. Throws a
 * {@link ViewError} when the token does not allow this one. Returns whether it acts.
 */
export function checkTool({ client, viewer }: Sight, name: string): boolean {
  const said = annotations.get(name);
  if (said === undefined) throw new Error(`there is no tool ${name}`);
  if (!said.readOnlyHint && !viewer.mayAct) {
    throw new ViewError("This token may look, and not change anything.");
  }
  if (
    !allowsTool(client.rights.tools, {
      name,
      annotations: said,
      isOffered: false,
      isForOwners: false,
    })
  ) {
    throw new ViewError(`This token does not allow ${name}.`);
  }
  return !said.readOnlyHint;
}

/** Throws unless a viewer may decide for others. */
export function checkOwner({ viewer }: Sight): void {
  if (!viewer.mayDecide) {
    throw new ViewError("Only a token that may do everything decides for others.");
  }
}
