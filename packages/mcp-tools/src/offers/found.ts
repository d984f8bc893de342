import type { OfferedTool, ProviderOffer } from "@ccbridge/registry";
import type { InputSchema } from "./input-schema.js";
import type { NamedTool } from "./names.js";

export interface FoundOffer extends ProviderOffer {
  readonly tool: OfferedTool;
}

export interface FoundTool extends NamedTool {
  readonly offers: readonly FoundOffer[];
  readonly schema: InputSchema;
  /** The argument that chooses the provider; undefined when the name stands for only one. */
  readonly which: string | undefined;
}

export function isReadOnly({ offers }: FoundTool): boolean {
  return offers.every(({ tool }) => tool.readOnly === true);
}
