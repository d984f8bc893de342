import type { Screen } from "../link/screen.js";

export const SCREEN_VIEW_URI = "ui://ccbridge/screen";

export const JOB_META_KEY = "ccbridge/job";

export interface ScreenView {
  readonly computerId: number;
  readonly name: string;
  readonly job: string | null;
  readonly program: string | null;
  /** `away` while the computer is not linked: the program may still run. */
  readonly state: "live" | "ended" | "away";
  readonly end: string | null;
  readonly mayType: boolean;
  readonly version: string;
  /** Absent while unknown, or if the viewer already has this version. */
  readonly screen?: Screen;
}
