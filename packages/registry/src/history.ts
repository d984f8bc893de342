import type { Provider } from "./provider.js";

// What happened, as it can be asked for later: one line of time with calls, events and links. Times are
// milliseconds since 1970.

export interface HistoricCall {
  readonly what: "call";
  readonly id: number;
  readonly trace: string;
  readonly time: number;
  readonly client: string;
  readonly session: string;
  readonly software: string | null;
  readonly tool: string;
  /** Whether it may have changed something. */
  readonly acts: boolean;
  readonly job: string | null;
  /** What it was about, in a few words: a file, an item, a command. */
  readonly subject: string | null;
  readonly outcome: string;
  readonly durationMs: number;
  readonly approvedBy: string | null;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: string;
  readonly targets: readonly { readonly key: string; readonly name: string }[];
}

export interface HistoricEvent {
  readonly what: "event";
  readonly time: number;
  readonly key: string;
  readonly provider: string;
  readonly seq: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface HistoricLink {
  readonly what: "link";
  readonly time: number;
  readonly key: string;
  readonly provider: string;
  readonly change: string;
  readonly reason: string | null;
}

export type HistoryEntry = (HistoricCall | HistoricEvent | HistoricLink) & {
  /** Pass it as `before` for what happened earlier. */
  readonly cursor: string;
};

export interface HistoryFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** @default all */
  readonly what?: readonly HistoryEntry["what"][] | undefined;
  /** Only what is about one of these providers. */
  readonly keys?: readonly string[] | undefined;
  // With one of these but withoutTool, only calls are found.
  readonly client?: string | undefined;
  readonly tool?: string | undefined;
  /** Leaves out the calls of this tool. */
  readonly withoutTool?: string | undefined;
  readonly path?: string | undefined;
  readonly outcome?: string | undefined;
  readonly acts?: boolean | undefined;
  /** Words that are all in what is shown of it, or the trace id of a call. */
  readonly text?: string | undefined;
  /** A cursor of an earlier page: only what happened before it. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Set when there may be more: a search looks at a bounded number of rows, so a page may be empty. */
  readonly next: string | undefined;
}

/** Calls that acted with the same tool on the same thing of a provider. */
export interface ChangeCount {
  readonly key: string | null;
  readonly provider: string | null;
  readonly tool: string;
  readonly subject: string | null;
  readonly outcome: string;
  readonly times: number;
  readonly last: number;
  readonly clients: readonly string[];
}

export interface HistorySummary {
  /** Latest first. */
  readonly changes: readonly ChangeCount[];
  /** Set when there was too much to count: what was before is left out. */
  readonly since: number | undefined;
}

/** Where something was seen last that moves. */
export interface LastPlace {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly movedAt: number;
}

/** What one reader may know of the past. No function rejects. */
export interface History {
  timeline(filter: HistoryFilter): Promise<HistoryPage>;
  summary(filter: Omit<HistoryFilter, "limit">): Promise<HistorySummary>;
  /** All providers that are known, linked or not. */
  providers(): Promise<readonly Provider[]>;
  places(): Promise<readonly LastPlace[]>;
  /** False where only the last calls of this process are known. */
  readonly isKept: boolean;
  /** Why what happened on other bridges may be missing now, as a sentence. */
  readonly unseen?: string | undefined;
}
