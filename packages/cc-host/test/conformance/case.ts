export type Lines = readonly (string | RegExp)[];

export interface Subject {
  readonly since: (version: string) => boolean;
  readonly emulator: boolean;
}

/**
 * A small program and what it reports in the game. `report(...)` writes its arguments on one line;
 * `SERVER` is the test server's `host:port`.
 */
export interface ConformanceCase {
  readonly name: string;
  readonly lua: string;
  readonly lines: Lines | ((subject: Subject) => Lines);
  readonly notInEmulator?: string;
  readonly computes?: true;
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
