import type { Screen } from "../link/screen.js";

export const SCREEN_VIEW_URI = "ui://ccbridge/screen";

/** Where the result of `run-program` names its job for that view. */
export const JOB_META_KEY = "ccbridge/job";

/** Structured content of `read-screen` for that view. */
export interface ScreenView {
  readonly computerId: number;
  readonly name: string;
  readonly job: string | null;
  readonly program: string | null;
  /** `away` while the computer is not linked: the program may still run. */
  readonly state: "live" | "ended" | "away";
  readonly end: string | null;
  readonly mayType: boolean;
  /** Sent with the next call, which then waits for a different one. */
  readonly version: string;
  /** Absent while unknown, or if the viewer already has this version. */
  readonly screen?: Screen;
}
