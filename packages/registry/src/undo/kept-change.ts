// What was changed and how it was before, so that it can be undone. Times are milliseconds since 1970.

/** How something of a provider is, in the words of its kind. What is long of it is kept apart, as content. */
export type KeptState = Readonly<Record<string, string | number | boolean | null>>;

export interface KeptChange {
  readonly id: string;
  readonly time: number;
  readonly key: string;
  /** The provider's name at that time. */
  readonly provider: string;
  readonly client: string;
  /** The call that changed it. */
  readonly trace: string;
  readonly job: string | null;
  readonly tool: string;
  /** What was changed, as its kind knows to undo it, such as "file". */
  readonly what: string;
  /** Which one: a path, a side. */
  readonly subject: string;
  /** Null where that is not known. */
  readonly before: KeptState | null;
  readonly after: KeptState | null;
  /** The hash of the content before; null where there was none, or it is not kept. */
  readonly content: string | null;
  /** Why it cannot be undone, if it cannot. */
  readonly cannot: string | null;
  /** False while it is under way, and after a bridge stopped in the middle of it. */
  readonly isDone: boolean;
  /** The changes that this one took back. */
  readonly undoes: readonly string[];
  /** The change that took this one back. */
  readonly undoneBy: string | null;
  /** A change that was begun to take this one back, and is not known to have ended. */
  readonly undoing?: string | null | undefined;
}

export interface KeptChangeFilter {
  readonly ids?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly client?: string | undefined;
  readonly trace?: string | undefined;
  readonly traces?: readonly string[] | undefined;
  readonly job?: string | undefined;
  readonly what?: string | undefined;
  /** Exactly this one. */
  readonly subject?: string | undefined;
  /** A part of it. */
  readonly subjectPart?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The cursor of an earlier page: only what was changed before. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface KeptChangePage {
  /** Newest first. */
  readonly changes: readonly KeptChange[];
  readonly next: string | undefined;
}

/** What is said of a change before it is made. */
export interface NewChange {
  readonly key: string;
  readonly provider: string;
  readonly what: string;
  readonly subject: string;
  readonly before: KeptState | null;
  /** Where it is known beforehand: then an interrupted change can still be recognized. */
  readonly after?: KeptState | null | undefined;
  readonly cannot?: string | null | undefined;
  readonly job?: string | null | undefined;
}

/** A change that is under way. No function rejects. */
export interface OpenChange {
  readonly id: string;
  /** It was made, and left this behind. */
  end(after: KeptState | null): Promise<void>;
  /** It was not made. */
  drop(): Promise<void>;
}

/** The changes of one call: what it makes is kept with its client, trace and tool. */
export interface ChangeLog {
  /**
   * Resolves once the change survives a crash, or cannot be kept for now. Rejects with a LinkError only where it takes
   * back changes that cannot be marked: then nothing may be done.
   */
  begin(change: NewChange, content?: Uint8Array): Promise<OpenChange>;
  /** The changes that this client may know: its own, owners all. */
  find(filter: KeptChangeFilter): Promise<KeptChangePage>;
  content(hash: string): Promise<Uint8Array | undefined>;
  /** A log whose changes take back these. */
  undoing(changes: readonly KeptChange[]): ChangeLog;
}
