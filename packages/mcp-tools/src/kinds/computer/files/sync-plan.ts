export interface Side {
  size: number;
  hash: string;
}

export type Files = ReadonlyMap<string, Side>;

/** Changes that make the target equal to the source. Paths are relative. */
export interface Plan {
  create: string[];
  update: string[];
  extra: string[];
  unchanged: number;
  bytes: number;
  /** Disk space the target gains, with extra files kept. */
  growth: number;
}

/** The game charges at least 500 bytes a file. */
const counted = (size: number): number => Math.max(500, size);

export function plan(source: Files, target: Files): Plan {
  const result: Plan = { create: [], update: [], extra: [], unchanged: 0, bytes: 0, growth: 0 };
  for (const [path, { size, hash }] of source) {
    const there = target.get(path);
    if (there?.hash === hash) {
      result.unchanged += 1;
      continue;
    }
    (there === undefined ? result.create : result.update).push(path);
    result.bytes += size;
    result.growth += counted(size) - (there === undefined ? 0 : counted(there.size));
  }
  for (const path of target.keys()) if (!source.has(path)) result.extra.push(path);
  return result;
}

/** Never mirrored: host tools execute their contents. */
const ignored = new Set([".git", "node_modules"]);

/** The game and host file systems refuse some characters. */
export function isMirrored(path: string): boolean {
  return path
    .split("/")
    .every(
      (part) =>
        part === part.trim() &&
        !/[.]$|["*:<>?|\\\p{Cc}]/u.test(part) &&
        part !== "" &&
        !ignored.has(part.toLowerCase()) &&
        new TextEncoder().encode(part).length <= 200,
    );
}
