import type { ProviderOffer } from "@ccbridge/registry";
import type { InputSchema } from "./input-schema.js";
import type { NamedTool } from "./names.js";

/** A named tool with what its providers say about it. */
export interface Found extends NamedTool {
  readonly offers: readonly ProviderOffer[];
  readonly schema: InputSchema;
  /** The argument that chooses the provider; undefined when the name stands for only one. */
  readonly which: string | undefined;
}
