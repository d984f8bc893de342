/** A file on either side. */
export interface Side {
  size: number;
  hash: string;
}

export type Files = ReadonlyMap<string, Side>;

/** What makes the target like the source. Paths are relative to both. */
export interface Plan {
  create: string[];
  update: string[];
  /** On the target only. */
  extra: string[];
  unchanged: number;
  /** Bytes to carry over. */
  bytes: number;
  /** How much more of a computer's disk the target takes afterwards, extra files kept. */
  growth: number;
}

/** What a file takes of a computer's disk. */
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

/** Folders that are never mirrored: tools run what is in them. */
const ignored = new Set([".git", "node_modules"]);

/** Whether both sides keep a relative path as it is: the game and hosts refuse some characters. */
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
