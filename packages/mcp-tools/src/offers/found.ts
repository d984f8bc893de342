import type { OfferedTool, ProviderOffer } from "@ccbridge/registry";
import type { InputSchema } from "./input-schema.js";
import type { NamedTool } from "./names.js";

/** A provider's offer with the one tool that was found in it. */
export interface FoundOffer extends ProviderOffer {
  readonly tool: OfferedTool;
}

/** A named tool with what its providers say about it. */
export interface FoundTool extends NamedTool {
  readonly offers: readonly FoundOffer[];
  readonly schema: InputSchema;
  /** The argument that chooses the provider; undefined when the name stands for only one. */
  readonly which: string | undefined;
}
