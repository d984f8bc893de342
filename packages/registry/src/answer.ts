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
