import type { OfferedTool, ProviderOffer, ProviderPort } from "@ccbridge/registry";
import { acts } from "./annotations.js";
import type { ReadCall, ToolFacts } from "./call.js";
import type { ToolContext, ToolOutcome } from "./define.js";

/** A tool that a provider offers, under the name that clients see. */
export interface OfferedEntry {
  readonly name: string;
  /** Cleaned, and marked as coming from the game. */
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Who offers it now, as text. */
  readonly providers: readonly string[];
  /** Whether it fits into the list of tools; every one can be called. */
  readonly isListed: boolean;
}

/** A tool that could not be loaded, and why. */
export interface BrokenEntry {
  readonly provider: string;
  readonly file: string;
  readonly problem: string;
}

export interface OfferedListing {
  readonly tools: readonly OfferedEntry[];
  readonly broken: readonly BrokenEntry[];
}

/** How long a call of an offered tool waits, and how long its job may run. */
export interface OfferedTimes {
  readonly waitMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The tools that providers offer. Names are the same for all clients; the port decides who sees which. */
export interface OfferedToolList {
  list(providers: ProviderPort): Promise<OfferedListing>;
  /** Calls back a moment after offers change, once for many changes, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** The tool with a name, as far as a port shows it; undefined when there is none. */
  find(name: string, providers: ProviderPort): Promise<OfferedHandle | undefined>;
}

/** An offered tool that was found. */
export interface OfferedHandle {
  readonly facts: ToolFacts;
  /** Chooses the provider and checks the arguments. Throws an error that says what is wrong with them. */
  read(args: unknown, times?: OfferedTimes): ReadCall;
}

/** Providers do not say what their tools do, so each may do anything. */
export function offeredFacts(name: string, kind?: string): ToolFacts {
  return { name, annotations: acts, isOffered: true, isForOwners: false, kind };
}

/** A call of an offered tool with valid arguments. */
export interface OfferedCall {
  readonly offer: ProviderOffer;
  readonly tool: OfferedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls the tools of one kind of provider. */
export interface OfferedCaller {
  /** Where such a tool comes from, for the model. */
  readonly origin: string;
  call(call: OfferedCall, context: ToolContext): Promise<ToolOutcome>;
  /** The error for invalid arguments. */
  badArguments(message: string): Error;
}
