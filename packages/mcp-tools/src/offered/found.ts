import type { ProviderOffer } from "@ccbridge/registry";
import type { InputSchema } from "./input-schema.js";
import type { NamedTool } from "./names.js";

/** A named tool with what its providers say of it. */
export interface Found extends NamedTool {
  readonly offers: readonly ProviderOffer[];
  readonly schema: InputSchema;
  /** The argument that says which provider is meant; undefined when the name stands for one alone. */
  readonly which: string | undefined;
}
