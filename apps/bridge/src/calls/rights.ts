import type { ToolFacts } from "@ccbridge/mcp-tools";
import { type Client, isOwner } from "../auth/rights/client.js";
import { allowsTool } from "../auth/rights/rules.js";

export function rightsProblem(
  { name, annotations, ...facts }: ToolFacts,
  client: Client,
  readOnly: boolean,
): string | undefined {
  const { mode, tools } = client.rights;
  if (facts.isForOwners && !isOwner(client)) {
    return `${name} is for the bridge's owner, and the token of this client (${client.name}) has limits.`;
  }
  if (facts.isForAll === true) return undefined;
  // Managing the bridge changes nothing in the game.
  if (!annotations.readOnlyHint && !facts.isForOwners) {
    if (readOnly) {
      return `${name} may change something, and this bridge is read-only (CC_READ_ONLY).`;
    }
    if (mode === "look") {
      return `${name} may change something, and the token of this client (${client.name}) is read-only.`;
    }
  }
  if (allowsTool(tools, { name, annotations, ...facts })) return undefined;
  return `The token of this client (${client.name}) does not allow ${name}.`;
}
