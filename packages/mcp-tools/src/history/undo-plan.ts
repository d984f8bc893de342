import type { KeptChange, KeptState } from "@ccbridge/registry";
import type { Undoer } from "../core/undo.js";

/** Changes of one thing, which are undone together. */
export interface UndoStep {
  /** Oldest first. */
  readonly changes: readonly KeptChange[];
  readonly first: KeptChange;
  readonly last: KeptChange;
}

/** How it must be now, so that nothing else is lost. */
export interface Expectation {
  /** Undefined where what the last change left is not known. */
  readonly states: readonly KeptState[] | undefined;
  /** What happened between the changes, if anything did. */
  readonly gap?: { readonly after: KeptChange; readonly before: KeptChange };
}

/** What has to be undone, latest first. Changes that cancel one another are left out. */
export function undoSteps(
  chosen: readonly KeptChange[],
  undoerOf: (change: KeptChange) => Undoer | undefined,
): UndoStep[] {
  const ids = new Set(chosen.map(({ id }) => id));
  const groups = new Map<string, KeptChange[]>();
  for (const change of chosen.toSorted(byTime)) {
    const { id, key, what, subject } = change;
    const group = undoerOf(change)?.isAlone === true ? id : JSON.stringify([key, what, subject]);
    groups.set(group, [...(groups.get(group) ?? []), change]);
  }
  const steps = [...groups.values()].flatMap((byTheClock) => {
    const group = inOrder(byTheClock, undoerOf);
    const changes = isWhole(group, undoerOf) ? group : standing(group, ids);
    const [first, last] = [changes[0], changes.at(-1)];
    return first === undefined || last === undefined ? [] : [{ changes, first, last }];
  });
  return steps.sort((a, b) => byTime(b.last, a.last));
}

/** Clocks of providers are known this well; what jobs change has the time of theirs. */
const CLOCK_MS = 2_000;

/** Changes of nearly the same time are put in the order in which one leads to the next. */
function inOrder(
  changes: readonly KeptChange[],
  undoerOf: (change: KeptChange) => Undoer | undefined,
): KeptChange[] {
  const ordered = [...changes];
  const undoer = changes[0] && undoerOf(changes[0]);
  if (undoer === undefined) return ordered;
  const gaps = (from: number) => {
    const around = ordered.slice(Math.max(0, from - 1), from + 3);
    return around.filter((change, index) => {
      const before = around[index - 1]?.after ?? null;
      return before !== null && change.before !== null && !undoer.isSame(before, change.before);
    }).length;
  };
  const swap = (at: number) => {
    const [a, b] = [ordered[at], ordered[at + 1]];
    if (a !== undefined && b !== undefined) [ordered[at], ordered[at + 1]] = [b, a];
  };
  for (let at = 0; at + 1 < ordered.length; at++) {
    const [a, b] = [ordered[at], ordered[at + 1]];
    if (a === undefined || b === undefined || b.time - a.time > CLOCK_MS) continue;
    const now = gaps(at);
    if (now === 0) continue;
    swap(at);
    if (gaps(at) >= now) swap(at);
  }
  return ordered;
}

function standing(changes: readonly KeptChange[], chosen: ReadonlySet<string>): KeptChange[] {
  return changes.filter(
    ({ undoneBy, undoes }) =>
      undoneBy === null && !(undoes.length > 0 && undoes.every((id) => chosen.has(id))),
  );
}

/**
 * Whether the changes led from one state to the next up to one that holds: then all of them are taken back, even those
 * that took back some of the others and some from before.
 */
function isWhole(
  changes: readonly KeptChange[],
  undoerOf: (change: KeptChange) => Undoer | undefined,
): boolean {
  const [first, last] = [changes[0], changes.at(-1)];
  const undoer = last && undoerOf(last);
  if (first === undefined || last === undefined || undoer === undefined) return false;
  if (changes.length < 2 || last.undoneBy !== null) return false;
  const { before } = first;
  const { after } = last;
  const isCircle = before !== null && after !== null && undoer.isSame(before, after);
  return !isCircle && expectation({ changes, first, last }, undoer).gap === undefined;
}

function byTime(a: KeptChange, b: KeptChange): number {
  return a.time - b.time || numberOf(a) - numberOf(b);
}

/** Changes of one millisecond are numbered. */
function numberOf({ id }: KeptChange): number {
  return Number(id.split("-")[1]);
}

/** Whether the changes follow one another without a gap, and what the last one left. */
export function expectation({ changes }: UndoStep, { isSame }: Undoer): Expectation {
  const same = (a: KeptState | null, b: KeptState | null) =>
    a === null || b === null || isSame(a, b);
  for (const [index, change] of changes.entries()) {
    const earlier = changes[index - 1];
    // Of a change that was interrupted, the next one knows whether it was made.
    if (earlier === undefined || !earlier.isDone) continue;
    if (!same(earlier.after, change.before)) {
      return { states: undefined, gap: { after: earlier, before: change } };
    }
  }
  const last = changes.at(-1);
  const known = [last?.after, last?.isDone === false ? last.before : null];
  const states = known.filter((state) => state !== null && state !== undefined);
  return { states: states.length === 0 ? undefined : states };
}
