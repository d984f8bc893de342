/** Longer words may contain more typing errors. */
const LETTERS_PER_ERROR = 3;

/** ` (did you mean X?)` for the word that a mistyped one is closest to, or nothing. */
export function didYouMean(typed: string, words: Iterable<string>, prefix = ""): string {
  let best: { word: string; distance: number } | undefined;
  for (const word of words) {
    const distance = editDistance(typed, word);
    if (distance < (best?.distance ?? Infinity)) best = { word, distance };
  }
  const isNear = best !== undefined && best.distance <= Math.ceil(typed.length / LETTERS_PER_ERROR);
  return isNear ? ` (did you mean ${prefix}${best?.word}?)` : "";
}

/** Insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
