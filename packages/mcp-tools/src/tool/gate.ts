import type { ToolAnnotations } from "./annotations.js";
import type { ToolContext } from "./define.js";
import type { CallResult } from "./run.js";

/** What it takes to decide on a tool. */
export interface ToolFacts {
  readonly name: string;
  /** What it says of itself; for one that says nothing, that it may do anything. */
  readonly annotations: ToolAnnotations;
  /** Whether a provider offers it, rather than the bridge. */
  readonly isOffered: boolean;
}

export interface GatedCall {
  readonly tool: ToolFacts;
  readonly args: unknown;
  readonly context: ToolContext;
  /** The one provider that offers it, if it is offered by one alone. */
  readonly offeredBy?: { readonly key: string; readonly name: string } | undefined;
}

/** Stands between one client and its tools. */
export interface ToolGate {
  /** Whether the client sees a tool. It may call no other. */
  allows(tool: ToolFacts): boolean;
  /** Has a call made by `run`, with this context or another, or answers it otherwise. */
  pass(call: GatedCall, run: (context: ToolContext) => Promise<CallResult>): Promise<CallResult>;
}
