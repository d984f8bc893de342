import type { EventWatch } from "@ccbridge/protocol";
import type { Cancellation } from "./cancellation.js";
import type { ChangeFilter, ProviderChange } from "./changes.js";
import type { ProviderRef, Sees, WatchSubject } from "./dialect.js";
import type { EventPage } from "./events/event-log.js";
import type { WatchMode } from "./events/watch-list.js";
import type { JobFailure, JobProgress, JobsAhead } from "./jobs/job.js";
import type { JobAnswer } from "./jobs/job-session.js";
import type { JobState, StopReason } from "./jobs/job-states.js";
import type { OutputPage } from "./jobs/output-log.js";
import type { Offer } from "./offers.js";
import type { Answer, Provider } from "./provider.js";
import type { Stop } from "./watchers.js";

// The one way in which tools reach providers. What passes through it is plain data, so that a provider may
// be linked elsewhere and a filter may be in between. A signal is not sent: it becomes a cancel.

/** Which provider a caller wants: one of a kind, as its dialect names them; without a ref the only one. */
export interface ProviderSelector {
  readonly kind: string;
  readonly ref?: ProviderRef | undefined;
  readonly without?: readonly string[] | undefined;
}

export interface ProviderView<P extends Provider = Provider> {
  readonly key: string;
  readonly name: string;
  readonly provider: P;
  readonly state: "live" | "unresponsive";
  /** Times are milliseconds since 1970. */
  readonly linkedAt: number;
  readonly lastSeenAt: number;
  readonly pausedSince: number | undefined;
  readonly runningRequests: number;
  readonly runningJobs: number;
  /** How people call the other bridge that it is linked to. Undefined for this one. */
  readonly bridge?: string | undefined;
}

export interface Patience {
  readonly timeoutMs: number;
  readonly signal?: Cancellation | undefined;
}

interface TracedPatience extends Patience {
  readonly trace?: string | undefined;
}

export type Answers = readonly PromiseSettledResult<Answer>[];

export interface ProviderRequestOptions extends TracedPatience {
  /** For work that must be stopped there when the caller stops waiting. */
  readonly cancelGraceMs?: number | undefined;
  /** Listens to what the provider reports before it answers; a provider elsewhere may report nothing. */
  readonly onProgress?: ((message: string) => void) | undefined;
}

export interface JobSummary {
  readonly id: string;
  readonly key: string;
  readonly provider: Provider;
  readonly method: string;
  /** What it does, in a few words. Null for a job of an earlier bridge. */
  readonly summary: string | null;
  /** A program with a screen, which may wait for input for ever: it has another limit than other jobs. */
  readonly isProgram: boolean;
  readonly adopted: boolean;
  /** Started by its provider, at its boot. */
  readonly atBoot: boolean;
  readonly state: JobState;
  readonly ended: boolean;
  /** False while the link is down: whether the job still runs is unknown. */
  readonly linked: boolean;
  readonly stopping: StopReason | undefined;
  /** Since when no time passes in its provider's world, as that last reported: sleeping code waits. */
  readonly pausedSince: number | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** Positions in its output: the first character that is kept, and the one behind the last. */
  readonly outputStart: number;
  readonly outputEnd: number;
  readonly abilities: { readonly cancel: boolean; readonly stream: boolean };
  /** Why it has its state, where the state alone does not say. */
  readonly note: string | undefined;
  /** Whether its provider has reported that it no longer has it: it cannot be running there. */
  readonly isGone: boolean;
  /** Whether parts of its output never came. */
  readonly isPartial: boolean;
  readonly progress: JobProgress | undefined;
  readonly trace: string | undefined;
  readonly client: string | undefined;
  /** When it is stopped, in milliseconds since 1970. */
  readonly stopAt: number | undefined;
}

export interface JobSnapshot extends JobSummary {
  readonly waitsFor: JobsAhead | undefined;
  readonly response: JobAnswer | undefined;
  readonly onFailure: JobFailure | undefined;
}

/** Which part of a job's output is wanted: at most `maxLength` characters from a cursor on. */
export interface OutputRange {
  readonly cursor: number;
  readonly maxLength: number;
}

export interface JobReading {
  readonly job: JobSnapshot;
  readonly output: OutputPage;
}

export interface JobWaiting extends Patience {
  readonly cursor?: number | undefined;
  /** Any other progress than this one ends it as well; null stands for none so far. */
  readonly progress?: JobProgress | null | undefined;
}

export interface JobOrder {
  readonly method: string;
  readonly params: unknown;
  readonly summary: string;
  readonly isProgram?: boolean | undefined;
  readonly onFailure?: JobFailure | undefined;
  readonly timeoutMs?: number | undefined;
  readonly trace?: string | undefined;
  readonly client?: string | undefined;
}

/** What is known of a job once it has begun, or waits for its turn. */
export type BegunJob = Pick<JobSnapshot, "id" | "provider">;

export interface JobRun extends Patience {
  /** Called when it has begun; not for one that ends at once on another bridge. */
  readonly begun?: ((job: BegunJob) => void) | undefined;
}

export interface JobsPort {
  /**
   * Starts work on a linked provider, at once or when it has room, and reads it once it has ended or the time is over:
   * then the job continues. Rejects with a LinkError.
   */
  run(key: string, order: JobOrder, range: OutputRange, run: JobRun): Promise<JobReading>;
  get(id: string): Promise<JobSnapshot | undefined>;
  list(): Promise<readonly JobSummary[]>;
  /** Asks the provider to stop a job. Whether it did shows in the job's state, sooner or later. */
  stop(id: string): Promise<JobSnapshot | undefined>;
  wait(id: string, waiting: JobWaiting): Promise<JobSnapshot | undefined>;
  read(id: string, range: OutputRange, waiting?: JobWaiting): Promise<JobReading | undefined>;
}

export interface EventsView {
  readonly key: string;
  readonly provider: Provider;
  readonly linked: boolean;
  readonly watches: readonly EventWatch[];
  /** What only other clients asked for. */
  readonly othersWatch: readonly EventWatch[];
  /** Places in its log: the oldest event that is kept, and the next one to come. */
  readonly first: number;
  readonly end: number;
}

interface WatchChange {
  readonly mode: WatchMode;
  readonly watches: readonly EventWatch[];
  /** Whose watches change; callers without a name share theirs. */
  readonly client?: string | undefined;
}

export interface EventsPort {
  /** The events of a provider that is linked, or of the one that went last. Rejects with a LinkError. */
  find(selector: ProviderSelector, client?: string): Promise<EventsView>;
  get(key: string, client?: string): Promise<EventsView | undefined>;
  /** Reads events in order from a cursor on; only those that one of the watches asks for, if there are any. */
  read(
    key: string,
    options: {
      readonly cursor?: number | undefined;
      readonly limit: number;
      readonly watch?: EventWatch | readonly EventWatch[] | undefined;
      /** Only events of this time: milliseconds since 1970, both included. */
      readonly since?: number | undefined;
      readonly until?: number | undefined;
    },
  ): Promise<EventPage>;
  /** Waits for an event. Resolves with a page that has it, or an empty one. Never rejects. */
  wait(
    key: string,
    wait: Patience & {
      readonly cursor: number;
      readonly watch: EventWatch | readonly EventWatch[];
    },
  ): Promise<EventPage>;
  /**
   * Changes what a client asks a linked provider to send; the provider sends what all clients ask for. The new
   * list counts at once, so that concurrent changes are not lost, and is reverted unless the provider accepts it.
   */
  watch(key: string, change: WatchChange, options: ProviderRequestOptions): Promise<Answer>;
  release(client?: string): void;
}

export interface PortChange {
  readonly topic: ProviderChange["topic"];
  readonly provider: Provider;
  readonly event?: string | undefined;
}

/** What one linked provider offers now. Each tool stays the same object until its provider offers again. */
export interface ProviderOffer extends Offer {
  readonly key: string;
  readonly name: string;
  readonly provider: Provider;
}

export interface ProviderPort {
  /** What the caller sees beside the providers without a scope. */
  readonly scope?: string | undefined;
  /** Whether the caller sees a provider, also one that has left. @default all */
  readonly sees?: Sees | undefined;
  /** Why providers that are linked to other bridges may be missing. */
  unseen?(): string | undefined;
  /** The one linked provider that a ref names. Rejects with a LinkError that names the candidates. */
  find(selector: ProviderSelector): Promise<ProviderView>;
  get(key: string): Promise<ProviderView | undefined>;
  list(kind?: string): Promise<readonly ProviderView[]>;
  /** Asks for something quick. Resolves with the answer, even a failure; rejects with a LinkError. */
  request(
    key: string,
    method: string,
    params: unknown,
    options: ProviderRequestOptions,
  ): Promise<Answer>;
  /** Asks several for the same, without parameters: what each answered, or why it did not, in the order of the keys. */
  requestAll(keys: readonly string[], method: string, patience: TracedPatience): Promise<Answers>;
  readonly jobs: JobsPort;
  readonly events: EventsPort;
  readonly offered: {
    list(): Promise<readonly ProviderOffer[]>;
    get(key: string): Promise<ProviderOffer | undefined>;
  };
  /**
   * Follows something of a provider, once for all callers, until the returned function is called. Each dialect
   * defines the subjects and their states. Rejects with a LinkError.
   */
  watch(key: string, subject: WatchSubject, listener: (state: unknown) => void): Promise<Stop>;
  readonly changes: {
    subscribe(
      listener: (change: PortChange) => void,
      filter?: ChangeFilter<PortChange["topic"]>,
    ): Promise<Stop>;
  };
}
