import type { Viewer } from "@ccbridge/protocol/dashboard";
import type { ProviderPort } from "@ccbridge/registry";
import type { Watched } from "./watched.js";

/** What one viewer sees and may do, by its token. */
export interface Sight {
  readonly viewer: Viewer;
  /** The providers that it may see. */
  readonly providers: ProviderPort;
  /** What all viewers of the same providers look at together. */
  readonly watched: Watched;
}
