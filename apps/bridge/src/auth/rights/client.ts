import type { ToolFacts } from "@ccbridge/mcp-tools";
import type { RateLimit } from "./rate-limit.js";
import { allowsTool, type GrantedTools, type ProviderRules, type ToolRules } from "./rules.js";

/** What a client may do: read only, act after a person approved, or act. */
export const modes = ["look", "ask", "all"] as const;
export type Mode = (typeof modes)[number];

/** What one token allows. Missing fields do not limit, except `allow`, which adds. */
export interface Rights {
  readonly mode: Mode;
  readonly tools?: ToolRules | undefined;
  readonly computers?: ProviderRules | undefined;
  /** Tools that the settings exclude for other clients. The other rights still apply. */
  readonly allow?: GrantedTools | undefined;
  readonly rate?: RateLimit | undefined;
  readonly quota?: RateLimit | undefined;
  /** The token is refused from this time on. */
  readonly until?: number | undefined;
}

/** The holder of a token. The same object as long as its line is unchanged. */
export interface Client {
  readonly name: string;
  readonly rights: Rights;
}

export function isExpired({ rights: { until } }: Client, now = Date.now()): boolean {
  return until !== undefined && until <= now;
}

/** Every client of a bridge without tokens. */
export const anyone: Client = { name: "anyone", rights: { mode: "all" } };

/**
 * Whether a client has no limits, and so may decide for others: answer questions, pair computers,
 * see the calls of all clients. A new field counts as a limit unless it is excluded here.
 */
export function isOwner({ rights: { mode, allow: _, ...limits } }: Client): boolean {
  return mode === "all" && Object.values(limits).every((limit) => limit === undefined);
}

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
