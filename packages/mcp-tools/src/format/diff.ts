const CONTEXT = 2;
/** Lines on each side that are compared with one another; beyond it all of them are shown as replaced. */
const MAX_LINES = 600;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The lines that differ, with a few around them. Empty when the texts are equal. */
export function diffLines(before: string, after: string): string[] {
  if (before === after) return [];
  const lines = aligned(before.split("\n"), after.split("\n"));
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " "),
  );
  let number = 0;
  let wasShown = true;
  return lines.flatMap(({ sign, text }, index) => {
    if (sign !== "+") number += 1;
    if (isNear[index] !== true) {
      wasShown = false;
      return [];
    }
    const gap = wasShown ? [] : [`@ line ${sign === "+" ? number + 1 : number}`];
    wasShown = true;
    return [...gap, `${sign}${text}`];
  });
}

function aligned(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (lines: readonly string[]) => lines.map((text): Line => ({ sign: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

function changed(before: readonly string[], after: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ sign: "-", text });
  const added = (text: string): Line => ({ sign: "+", text });
  if (before.length > MAX_LINES || after.length > MAX_LINES) {
    return [...before.map(removed), ...after.map(added)];
  }
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, now] = [before[row], after[column]];
    if (old !== undefined && old === now) {
      lines.push({ sign: " ", text: old });
      row += 1;
      column += 1;
    } else if (
      old !== undefined &&
      (now === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(removed(old));
      row += 1;
    } else if (now !== undefined) {
      lines.push(added(now));
      column += 1;
    }
  }
  return lines;
}
