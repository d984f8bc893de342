export function nearestName(wrong: string, names: Iterable<string>): string | undefined {
  const plain = fold(wrong);
  if (plain === "" || plain.length > 64) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const name of names) {
    const folded = fold(name);
    // `timeout` for timeoutMs and `id` for jobId are not typos, but match as well.
    const contains = plain.length >= 2 && (folded.startsWith(plain) || folded.endsWith(plain));
    const distance = contains ? 0.5 : editDistance(plain, folded);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

const fold = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const here = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      here[column] = Math.min(
        (above[column] ?? 0) + 1,
        (here[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = above;
    above = here;
  }
  return above[b.length] ?? 0;
}
