import type { Allowance } from "./allowance.js";
import type { GrantedTools, ProviderRules, ToolRules } from "./rules.js";

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
  readonly rate?: Allowance | undefined;
  readonly quota?: Allowance | undefined;
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
