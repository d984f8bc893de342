/** A peer that has dialled in, as it describes itself: a computer, a page, a server. Dialects know more of theirs. */
export interface Provider {
  /** Which dialect it speaks. */
  readonly kind: string;
  /** Two providers are the same exactly when their keys are. */
  readonly key: string;
  /** What to call it in a sentence: on one line, and what it chose of it set apart. */
  readonly name: string;
  /** The requests that it answers, and what else it can do. */
  readonly methods: readonly string[];
  readonly features: readonly string[];
  /** Only clients of this scope see it; a secret. All clients see providers without one. */
  readonly scope?: string | undefined;
}

/** What the core looks for among a provider's features. Each dialect says which of them it has. */
export const ProviderFeature = {
  /** Stops a request when asked to. */
  cancel: "cancel",
  /** Sends the output of a request while it runs. */
  output: "output",
  /** Keeps requests over a dropped link, and their answers until they are acknowledged. */
  jobs: "jobs",
} as const;
