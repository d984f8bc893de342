import type { Answer, KeptChange, KeptState, Provider, ProviderView } from "@ccbridge/registry";
import type { ToolContext } from "./define.js";

export interface Present {
  readonly state: KeptState;
  readonly content?: Uint8Array | undefined;
}

interface Restoring {
  readonly provider: ProviderView;
  /** The newest of the changes that are undone. */
  readonly change: KeptChange;
  readonly present: Present;
  readonly target: Present;
}

export interface Undoer {
  /** Whether each change is undone by itself, not together with others of the same subject. */
  readonly isAlone?: boolean;
  /** Whether a caller may insist when something else changed it since. */
  readonly canForce?: boolean;
  /** Whether doing it twice does more than doing it once, which cannot be seen afterwards. */
  readonly addsUp?: boolean;
  /** The tool that shows what is in it: a client that may not use that one sees no contents. */
  readonly shownBy?: string;
  /** Throws when it cannot be read. */
  read(context: ToolContext, provider: ProviderView, change: KeptChange): Promise<Present>;
  isSame(a: KeptState, b: KeptState): boolean;
  stateText(state: KeptState): string;
  /** Its content as lines that can be compared. Without it, contents are text. */
  textOf?(content: Uint8Array): string | undefined;
  /** Makes it so, unless it is no more as it was read. Throws when it did not. */
  restore(context: ToolContext, restoring: Restoring): Promise<void>;
}

/** A provider that keeps what its jobs changed, until that is asked for. */
export interface KeepingProvider {
  readonly provider: Provider;
  request(method: string, params: unknown): Promise<Answer>;
}

/** What a job changed by itself, as its provider kept it. */
export interface JobChange extends Pick<KeptChange, "what" | "subject" | "before" | "after"> {
  /** Names it among all of its provider, also when it is asked for again. */
  readonly id: string;
  readonly job: string;
  /** By the clock of its provider, in milliseconds since 1970. */
  readonly at: number;
  /** By the clock of the bridge. */
  readonly time: number;
  readonly content?: Uint8Array | undefined;
  readonly cannot?: string | undefined;
  /** Whether its provider does not say it again. */
  readonly isOnce?: boolean;
}
