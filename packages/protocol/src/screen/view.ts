import type { Screen } from "../link/screen.js";

/** The view of a screen inside a chat: an MCP App. */
export const SCREEN_VIEW_URI = "ui://ccbridge/screen";

/** Where the answer of `run-program` names its job for that view. */
export const JOB_META_KEY = "ccbridge/job";

/** What `read-screen` answers that view with, as structured content. */
export interface ScreenView {
  readonly computerId: number;
  /** What to call the computer. */
  readonly name: string;
  /** The program whose screen it is; null for the shared prompt. */
  readonly job: string | null;
  /** What was typed to start it, where that is known. */
  readonly program: string | null;
  /** `away` while the computer is not linked: the program may run on. */
  readonly state: "live" | "ended" | "away";
  /** How the program ended, in a few words. */
  readonly end: string | null;
  /** Whether this client may use send-input. */
  readonly mayType: boolean;
  /** Stands for all of this; the next call says which one was seen. */
  readonly version: string;
  /** Absent while unknown, and in the answer to a viewer that has seen this version. */
  readonly screen?: Screen;
}
