import type { Allowance } from "./allowance.js";
import type { GrantedTools } from "./granted-tools.js";
import type { ProviderRules } from "./provider-rules.js";
import type { ToolRules } from "./tool-rules.js";

/** What a client may do: look only, act after a person said yes, or act. */
export const modes = ["look", "ask", "all"] as const;
export type Mode = (typeof modes)[number];

/** What one token allows. What is left out is not limited, but for `allow`, which adds. */
export interface Rights {
  readonly mode: Mode;
  readonly tools?: ToolRules | undefined;
  readonly computers?: ProviderRules | undefined;
  /** What the settings leave out for others. It never overrules the other rights. */
  readonly allow?: GrantedTools | undefined;
  /** Calls in a short time, which come back evenly. */
  readonly rate?: Allowance | undefined;
  /** Calls in a long time, counted from the first one on. */
  readonly quota?: Allowance | undefined;
}

/** Whoever shows a token. The same object for as long as its line stays the same. */
export interface Client {
  /** The token's name, which is not a secret. */
  readonly name: string;
  readonly rights: Rights;
}

/** Everybody, on a bridge that wants no token. */
export const anyone: Client = { name: "anyone", rights: { mode: "all" } };

/**
 * Whether a client may do everything, and so may also decide for others: answer questions, pair computers, see
 * the calls of all clients. A right that is new is a limit, unless it is named here.
 */
export function isOwner({ rights: { mode, allow: _, ...limits } }: Client): boolean {
  return mode === "all" && Object.values(limits).every((limit) => limit === undefined);
}
