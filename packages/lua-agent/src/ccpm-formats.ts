export interface TrapOsPackage {
  name: string;
  version: string;
  description: string;
  dependencies: string[];
  files: string[];
  autostart: string[];
}

export interface TrapOsIndex {
  packages: Record<string, { description: string; version: string }>;
}

export interface CcpmRegistryIndex {
  format: 1;
  hosts: string[];
  packages: Record<
    string,
    {
      author: string;
      description: string;
      latest: string;
      license: string;
      tags: string[];
      versions: string[];
    }
  >;
}

/** `packages/<name>/<version>.json` of a CCPM registry. A published version never changes. */
export interface CcpmRegistryVersion {
  kind: "files";
  compat: { cc: string };
  /** `path` is relative to /ccpm on the computer; `sha256` is of the exact bytes at `url`. */
  files: { path: string; sha256: string; url: string }[];
}

export function compactJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
    return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export function compareVersions(a: string, b: string): number {
  const [coreA = "", preA] = a.split(/-(.*)/s);
  const [coreB = "", preB] = b.split(/-(.*)/s);
  const numbersA = coreA.split(".").map(Number);
  const numbersB = coreB.split(".").map(Number);
  for (let i = 0; i < 3; i++) {
    const difference = (numbersA[i] ?? 0) - (numbersB[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (preA === preB) return 0;
  if (preA === undefined) return 1;
  if (preB === undefined) return -1;
  return preA < preB ? -1 : 1;
}
