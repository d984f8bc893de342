import type { ToolAnnotations } from "./annotations.js";
import type { ToolContext } from "./define.js";
import type { CallResult } from "./run.js";

/** What is needed to decide on a tool. */
export interface ToolFacts {
  readonly name: string;
  /** Its annotations; without any, a tool may do anything. */
  readonly annotations: ToolAnnotations;
  /** Whether a provider offers it, rather than the bridge. */
  readonly isOffered: boolean;
}

export interface GatedCall {
  readonly tool: ToolFacts;
  readonly args: unknown;
  readonly context: ToolContext;
  /** The provider that offers it, if there is only one. */
  readonly offeredBy?: { readonly key: string; readonly name: string } | undefined;
  /** What it looks at again and again, where it is such a call. */
  readonly watched?: string | undefined;
}

/** Stands between one client and its tools. */
export interface ToolGate {
  /** Whether the client sees a tool, and so may call it. */
  allows(tool: ToolFacts): boolean;
  /** Lets `run` make the call, with this context or another, or answers it in another way. */
  pass(call: GatedCall, run: (context: ToolContext) => Promise<CallResult>): Promise<CallResult>;
}
