import type { OfferedTool, ProviderOffer, ProviderPort } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "./define.js";

/** A tool of the game side under the name that clients see. */
export interface OfferedEntry {
  readonly name: string;
  /** Cleaned, and marked as coming from the game. */
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Who offers it now, in words. */
  readonly providers: readonly string[];
  /** Whether it has room in the list of tools; all can be called. */
  readonly isListed: boolean;
}

/** Something that was meant to be a tool and is not, and why. */
export interface BrokenEntry {
  readonly provider: string;
  readonly file: string;
  readonly problem: string;
}

export interface OfferedListing {
  readonly tools: readonly OfferedEntry[];
  readonly broken: readonly BrokenEntry[];
}

/** How long a call of an offered tool waits, and how old its job may get. */
export interface OfferedTimes {
  readonly waitMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The tools that providers offer. Names are the same for everybody; who sees which, a port decides. */
export interface OfferedTools {
  list(providers: ProviderPort): Promise<OfferedListing>;
  /** Calls back a moment after offers changed, once for many, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** The one of a name that a port shows; undefined when there is none. */
  find(name: string, providers: ProviderPort): Promise<OfferedHandle | undefined>;
}

/** An offered tool that was found. */
export interface OfferedHandle {
  /** As clients see it, which may be written in another way than it was asked for. */
  readonly name: string;
  /** Who offers it; undefined when an argument says which of several is meant. */
  readonly offeredBy: { readonly key: string; readonly name: string } | undefined;
  /** Calls it. Throws what the caller can do about it. */
  call(args: unknown, context: ToolContext, times?: OfferedTimes): Promise<ToolOutcome>;
}

/** A call of an offered tool whose arguments fit. */
export interface OfferedCall {
  readonly offer: ProviderOffer;
  readonly tool: OfferedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How the tools of one kind of provider are called. */
export interface OfferedCaller {
  /** What to say to a model about where such a tool comes from. */
  readonly origin: string;
  call(call: OfferedCall, context: ToolContext): Promise<ToolOutcome>;
  /** The error for arguments that do not fit. */
  badArguments(message: string): Error;
}
