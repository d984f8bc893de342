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
  isAlone: (change: KeptChange) => boolean,
): UndoStep[] {
  const ids = new Set(chosen.map(({ id }) => id));
  const standing = chosen.filter(
    ({ undoneBy, undoes }) =>
      undoneBy === null && !(undoes.length > 0 && undoes.every((id) => ids.has(id))),
  );
  const groups = new Map<string, KeptChange[]>();
  for (const change of standing.toSorted(byTime)) {
    const { id, key, what, subject } = change;
    const group = isAlone(change) ? id : JSON.stringify([key, what, subject]);
    groups.set(group, [...(groups.get(group) ?? []), change]);
  }
  const steps = [...groups.values()].map((changes) => ({
    changes,
    first: changes[0] as KeptChange,
    last: changes.at(-1) as KeptChange,
  }));
  return steps.sort((a, b) => byTime(b.last, a.last));
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
