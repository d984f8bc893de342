import type { MethodResult } from "@ccbridge/protocol";
import type { ProviderPort } from "@ccbridge/registry";
import { askProvider } from "./ask-provider.js";

/** A turtle as it said, or why it said nothing. */
export type TurtleState = MethodResult<"turtle-status"> | { readonly problem: string };

export async function readTurtle(providers: ProviderPort, key: string): Promise<TurtleState> {
  try {
    return await askProvider(providers, key, "turtle-status", {});
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
