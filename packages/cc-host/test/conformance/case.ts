/** What a program reports: a line as it is, or a pattern for it. */
export type Lines = readonly (string | RegExp)[];

/** What a case may make its expectation depend on. */
export interface Subject {
  /** The version of CC:Tweaked, or the one that an emulator says it follows. */
  readonly since: (version: string) => boolean;
  /** An emulator, not the game's own core nor what plays it here. */
  readonly emulator: boolean;
}

/**
 * A small program and what it reports in the game. `report(...)` in it writes its arguments on one
 * line; `SERVER` is where the test's server listens, as `host:port`.
 */
export interface ConformanceCase {
  readonly name: string;
  readonly lua: string;
  readonly lines: Lines | ((subject: Subject) => Lines);
  /** Why an emulator cannot run it, or answers otherwise. */
  readonly notInEmulator?: string;
  /** Computes until the game stops it: the test host then takes so many instructions for a second. */
  readonly computes?: true;
  /** Needs a computer of its own, and leaves it off. */
  readonly endsOff?: true;
}

function numbers(version: string): number[] {
  return version.split(".").map(Number);
}

export function isAtLeast(version: string, minimum: string): boolean {
  const [have, want] = [numbers(version), numbers(minimum)];
  const differs = want.findIndex((part, index) => part !== (have[index] ?? 0));
  return differs === -1 || (have[differs] ?? 0) > (want[differs] ?? 0);
}

export function expectedLines(each: ConformanceCase, subject: Subject): Lines {
  return typeof each.lines === "function" ? each.lines(subject) : each.lines;
}
