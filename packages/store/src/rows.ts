// What passes from the bridge's thread to the store's: plain data, JSON as text.

interface EventRow {
  readonly table: "events";
  readonly key: string;
  readonly seq: number;
  readonly time: number;
  readonly name: string;
  readonly args: string;
  readonly dropped: number;
  readonly truncated: boolean;
}

interface ProviderRow {
  readonly table: "providers";
  readonly key: string;
  readonly name: string;
  readonly data: string;
}

interface WatchesRow {
  readonly table: "watches";
  readonly key: string;
  readonly data: string;
}

interface JobRow {
  readonly table: "jobs";
  readonly id: string;
  readonly key: string;
  readonly client: string | null;
  readonly created: number;
  readonly ended: number | null;
  readonly data: string;
  /** The long part: parameters, response, output. */
  readonly payload: string;
}

export interface CallRow {
  readonly table: "calls";
  readonly trace: string;
  readonly time: number;
  readonly client: string;
  readonly session: string;
  readonly software: string | null;
  readonly tool: string;
  readonly acts: boolean;
  readonly job: string | null;
  readonly path: string | null;
  readonly outcome: string;
  readonly durationMs: number;
  readonly approvedBy: string | null;
  readonly args: string;
  readonly answer: string;
  readonly targets: readonly { readonly key: string; readonly name: string }[];
}

export interface LinkRow {
  readonly table: "links";
  readonly time: number;
  readonly key: string;
  readonly name: string;
  readonly what: string;
  readonly reason: string | null;
}

interface StateRow {
  readonly table: "states";
  readonly name: string;
  readonly data: string;
}

export type StoreRow = EventRow | ProviderRow | WatchesRow | JobRow | CallRow | LinkRow | StateRow;

/** Which calls are wanted, newest first. */
export interface CallFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly client?: string | undefined;
  readonly tool?: string | undefined;
  /** The key of a provider that it was about. */
  readonly key?: string | undefined;
  /** A part of a path in the arguments. */
  readonly path?: string | undefined;
  readonly outcome?: string | undefined;
  readonly acts?: boolean | undefined;
  /** A part of the tool, its arguments, its targets or its answer. */
  readonly text?: string | undefined;
  /** The `next` of an earlier page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface StoredCall extends Omit<CallRow, "table" | "args"> {
  readonly id: number;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface CallPage {
  readonly calls: readonly StoredCall[];
  /** Pass it as `before` for older ones; undefined when there are none. */
  readonly next: number | undefined;
}

export interface StoredLink extends Omit<LinkRow, "table"> {
  readonly id: number;
}

export interface TimelineEvent {
  readonly key: string;
  readonly provider: string;
  readonly seq: number;
  readonly time: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface Retention {
  readonly callDays: number;
  readonly eventDays: number;
  readonly jobDays: number;
  readonly maxBytes: number;
}

export interface Forgotten {
  readonly calls: number;
  readonly events: number;
  readonly jobs: number;
  readonly links: number;
}
