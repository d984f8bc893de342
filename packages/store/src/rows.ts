import type { KeptChange } from "@ccbridge/registry";

// What passes from the bridge's thread to the store's: plain data.

/** Events of other bridges have places from here on: they are in no log of this one. */
export const ELSEWHERE = 2 ** 52;

export interface EventRow {
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

export interface JobRow {
  readonly table: "jobs";
  readonly id: string;
  readonly key: string;
  readonly client: string | null;
  readonly trace: string | null;
  readonly created: number;
  readonly ended: number | null;
  readonly data: object;
  /** The long part: parameters, response, output. */
  readonly payload: object;
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
  /** The files in its arguments, one in each line. */
  readonly path: string | null;
  readonly subject: string | null;
  readonly outcome: string;
  readonly durationMs: number;
  readonly approvedBy: string | null;
  readonly args: Readonly<Record<string, unknown>>;
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
  readonly time: number;
  readonly data: string;
}

interface ChangeRow {
  readonly table: "changes";
  readonly id: string;
  /** The whole change; undefined when it was not made after all. */
  readonly change: KeptChange | undefined;
}

interface ContentRow {
  readonly table: "contents";
  readonly hash: string;
  readonly size: number;
  /** Deflated, in base64. */
  readonly data: string;
}

export type StoreRow =
  | EventRow
  | ProviderRow
  | WatchesRow
  | JobRow
  | CallRow
  | LinkRow
  | StateRow
  | ChangeRow
  | ContentRow;

/** What a reader of the history does not see. */
export interface Sight {
  /** The only client whose calls are shown; undefined for all. */
  readonly client?: string | undefined;
  /** Keys of providers. */
  readonly hidden: readonly string[];
  /** Keys of providers whose events are not shown; the hidden ones are among them. */
  readonly hiddenEvents: readonly string[];
  /** Tools whose calls are not shown. */
  readonly withoutTools: readonly string[];
}

export interface Retention {
  readonly callDays: number;
  readonly eventDays: number;
  readonly jobDays: number;
  readonly changeDays: number;
  readonly maxBytes: number;
}

export interface Forgotten {
  readonly calls: number;
  readonly changes: number;
  readonly events: number;
  readonly jobs: number;
  readonly links: number;
}

export interface ForgetStep extends Forgotten {
  readonly more: boolean;
}
