import type { EngineName } from "./engine.js";
import type { Retention } from "./rows.js";

export interface WorkerOptions {
  readonly file: string;
  /** Only for tests: which engine must be used. */
  readonly engine?: EngineName | undefined;
  readonly retention: Retention;
}

/** What the thread of the store can be asked for: the functions of its database. */
export type StoreMethod =
  | "write"
  | "states"
  | "logs"
  | "events"
  | "timeline"
  | "summary"
  | "providers"
  | "unfinishedJobs"
  | "job"
  | "changes"
  | "content"
  | "forget"
  | "bytes"
  | "retain"
  | "close";

export interface ToWorker {
  readonly id: number;
  readonly method: StoreMethod;
  readonly args: readonly unknown[];
}

export type FromWorker =
  | {
      readonly type: "ready";
      readonly engine: EngineName;
      readonly isUnclean: boolean;
      readonly damaged: string | undefined;
    }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "answer"; readonly id: number; readonly result: unknown }
  | { readonly type: "failed"; readonly id: number; readonly reason: string }
  | { readonly type: "damaged"; readonly damaged: string };
