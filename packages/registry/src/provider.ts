/** A peer that has dialled in, as it describes itself. Dialects know more of theirs. */
export interface Provider {
  readonly kind: string;
  readonly key: string;
  /** What to call it in a sentence: on one line, and what it chose of it set apart. */
  readonly name: string;
  readonly methods: readonly string[];
  readonly features: readonly string[];
  /** While it is the same, a job that the provider does not name never arrived there. */
  readonly run?: string | undefined;
  /** Only clients of this scope see it; a secret. All clients see providers without one. */
  readonly scope?: string | undefined;
}

export const ProviderFeature = {
  cancel: "cancel",
  /** Sends the output of a request while it runs. */
  output: "output",
  jobs: "jobs",
  /** Said by one that keeps what jobs changed before it was linked. */
  kept: "kept-files",
} as const;

/** What a provider answered. A failure may carry a result too: the output until then. */
export type Answer =
  | { readonly ok: true; readonly result?: unknown }
  | {
      readonly ok: false;
      readonly error: string;
      readonly result?: unknown;
      /** What a cancel did, where this is the answer to it: the work stopped, or there was none. */
      readonly cancel?: "stopped" | "unknown" | undefined;
    };

export interface Outgoing {
  readonly id: string;
  readonly method: string;
  readonly bytes: number;
}
