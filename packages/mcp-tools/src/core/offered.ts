import type { OfferedTool, ProviderOffer, ProviderPort } from "@ccbridge/registry";
import { acts, readOnly } from "./annotations.js";
import type { ReadCall, ToolFacts } from "./call.js";
import type { ToolContext, ToolOutcome } from "./define.js";

export interface OfferedEntry {
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  /** Hints of MCP from what its providers say; nothing in the bridge relies on them. */
  readonly annotations: Readonly<Record<string, boolean>>;
  /** Cleaned, and marked as coming from the game. */
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly fullSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly isReadOnly: boolean;
  readonly providers: readonly string[];
  readonly isListed: boolean;
}

export interface BrokenEntry {
  readonly provider: string;
  readonly file: string;
  readonly problem: string;
}

export interface OfferedListing {
  readonly tools: readonly OfferedEntry[];
  readonly broken: readonly BrokenEntry[];
}

export interface OfferedTimes {
  readonly waitMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface OfferedToolList {
  list(providers: ProviderPort): Promise<OfferedListing>;
  /** Calls back a moment after offers change, once for many changes, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  find(name: string, providers: ProviderPort): Promise<OfferedHandle | undefined>;
  /** A tool that was offered and is gone; undefined when there was none, or its kind has no error for it. */
  gone(name: string, providers: ProviderPort): GoneOffer | undefined;
}

export interface OfferedHandle {
  readonly facts: ToolFacts;
  /** Chooses the provider and checks the arguments. Throws an error that says what is wrong with them. */
  read(args: unknown, times?: OfferedTimes): ReadCall;
}

export interface GoneOffer {
  readonly facts: ToolFacts;
  readonly error: Error;
}

/** A tool may do anything, unless each provider that offers it says that it only looks. */
export function offeredFacts(name: string, kind?: string, isReadOnly = false): ToolFacts {
  const annotations = isReadOnly ? readOnly : acts;
  return { name, annotations, isOffered: true, isForOwners: false, kind };
}

export interface OfferedCall {
  readonly offer: ProviderOffer;
  readonly tool: OfferedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface OfferedCaller {
  call(call: OfferedCall, context: ToolContext): Promise<ToolOutcome>;
  badArguments(message: string): Error;
  /** The error for a tool whose provider left. */
  gone?(message: string): Error;
}
