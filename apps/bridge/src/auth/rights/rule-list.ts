export interface RuleList {
  /** Undefined: everything that is not denied. */
  readonly only: readonly string[] | undefined;
  readonly never: readonly string[];
}

const MAX_ENTRIES = 256;

export function readRuleList(
  text: string,
  problemOf: (entry: string) => string | undefined,
): RuleList | string {
  const entries = text.split(",").map((entry) => entry.trim());
  if (entries.length > MAX_ENTRIES) return `holds more than ${MAX_ENTRIES} entries`;
  const only: string[] = [];
  const never: string[] = [];
  for (const entry of entries) {
    const denied = entry.startsWith("-");
    const name = denied ? entry.slice(1) : entry;
    if (name === "") return "holds an empty entry";
    const problem = problemOf(name);
    if (problem !== undefined) return problem;
    (denied ? never : only).push(name);
  }
  return { only: only.length === 0 ? undefined : only, never };
}

export function allowsBy(
  { only, never }: RuleList,
  fits: (entry: string, denies: boolean) => boolean,
): boolean {
  if (never.some((entry) => fits(entry, true))) return false;
  return only === undefined || only.some((entry) => fits(entry, false));
}

/** The kind that an entry such as `kind:lamp` names: all of its tools, or all of its providers. */
export function kindIn(entry: string): string | undefined {
  return /^kind:([\w-]{1,32})$/.exec(entry)?.[1];
}
