import { utf8Length } from "@ccbridge/protocol";
import { LinkError, type ProviderView, VERSIONS_OF_ONE } from "@ccbridge/registry";
import type { ToolContext } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import type { Present, Undoer } from "../core/undo.js";
import { textOf } from "../format/bytes.js";
import { diffLines } from "../format/diff.js";
import { block, excerpt, inline } from "../format/set-apart.js";
import { changesOf, undoerOf } from "./chosen-changes.js";
import { whyNever } from "./list-changes.js";
import { expectation, type UndoStep } from "./undo-plan.js";

const MIN_DIFF_BYTES = 200;
const OLDEST = `no more than ${VERSIONS_OF_ONE} versions are kept, and this is the oldest`;

/** Whether something can be undone now, with what is there and what would be. */
export interface Checked {
  readonly undoer?: Undoer | undefined;
  readonly provider?: ProviderView | undefined;
  readonly present?: Present | undefined;
  readonly target?: Present | undefined;
  readonly refusal?: string | undefined;
  /** Whether it would be done nevertheless if the caller insists. */
  readonly mayForce?: boolean;
  /** Whether it is as it was before. */
  readonly isAlready?: boolean;
}

export async function checkStep(
  step: UndoStep,
  force: boolean,
  context: ToolContext,
): Promise<Checked> {
  const { first, last } = step;
  const undoer = undoerOf(last, context);
  const cannot = whyNever(first, context);
  if (undoer === undefined || cannot !== undefined)
    return { refusal: cannot ?? "it is not known how" };
  const denied = step.changes.find(
    ({ tool }) => tool !== "undo-change" && context.allows?.(tool) === false,
  );
  if (denied !== undefined) return { refusal: `this client may not use ${inline(denied.tool)}` };
  const provider = await context.providers.get(last.key);
  if (provider === undefined) return { refusal: await whereIs(step, context) };
  if (first.before === null) return { provider, refusal: "how it was before is not known" };
  const content =
    first.content === null ? undefined : await changesOf(context).content(first.content);
  if (first.content !== null && content === undefined) {
    return { provider, refusal: "what was in it before is not kept any more" };
  }
  const target: Present = { state: first.before, content };
  try {
    const present = await undoer.read(context, provider, last);
    const known = { undoer, provider, present, target };
    const doubt = force || undoer.addsUp !== true ? undefined : doubtOf(step);
    const refusal = doubt ?? conflict(step, known, force);
    const mayForce = doubt !== undefined || (refusal !== undefined && undoer.canForce === true);
    return { ...known, refusal, mayForce, isAlready: undoer.isSame(present.state, target.state) };
  } catch (error) {
    if (error instanceof ToolError || error instanceof LinkError) {
      return { undoer, provider, target, refusal: error.message };
    }
    throw error;
  }
}

/** One that was replaced has the same name. */
async function whereIs({ last }: UndoStep, { providers }: ToolContext): Promise<string> {
  const others = await providers.list();
  const isReplaced = others.some(({ name }) => name === last.provider);
  return isReplaced
    ? `another ${last.provider} is linked, not the one that was changed`
    : `${last.provider} is not linked: call again once it is back`;
}

/** Why it is not known whether it was made, or taken back already. */
function doubtOf({ changes, last }: UndoStep): string | undefined {
  const [undoing] = changes.flatMap((change) => change.undoing ?? []);
  const insist = "look at what is there; force undoes it nevertheless";
  if (undoing !== undefined) {
    return `${undoing} began to undo it and is not known to have ended, so it may be undone already: ${insist}`;
  }
  if (last.isDone) return undefined;
  return `${last.id} is not known to have ended, so it may not have been made: ${insist}`;
}

function conflict(
  step: UndoStep,
  { undoer, present, target }: { undoer: Undoer; present: Present; target: Present },
  force: boolean,
): string | undefined {
  const { states, gap } = expectation(step, undoer);
  const isAlready = undoer.isSame(present.state, target.state);
  if (isAlready && gap === undefined) return undefined;
  if (states?.some((state) => undoer.isSame(state, present.state)) === true) return undefined;
  if (force && undoer.canForce === true) return undefined;
  const insist = undoer.canForce === true ? "; force undoes it nevertheless, and that is lost" : "";
  if (gap !== undefined) {
    return `something else changed it between ${gap.after.id} and ${gap.before.id}${insist}`;
  }
  const is = undoer.stateText(present.state);
  if (states === undefined) {
    const why = step.last.isDone
      ? `what ${step.last.id} left is not known`
      : `the bridge stopped in the middle of ${step.last.id}`;
    return `${why}, so it is not known whether anything else changed it since: it is ${is} now${insist}`;
  }
  const left = undoer.stateText(states[0] ?? present.state);
  return `something else changed it since: the change left ${left}, and it is ${is} now${insist}`;
}

/** What is there, and what would be, with the lines that differ. */
export function previewOf(
  step: UndoStep,
  { undoer, present, target, refusal, isAlready }: Checked,
  context: ToolContext,
  room: number,
): { lines: string[]; bytes: number } {
  const { last, changes } = step;
  const ids =
    changes.length > 6 ? `${changes.length} changes` : changes.map(({ id }) => id).join(", ");
  const name = `${inline(last.subject, 4_096)} on ${last.provider} (${ids})`;
  const refused = `- ${name}: REFUSED: ${refusal}.`;
  if (undoer === undefined || present === undefined || target === undefined) {
    return { lines: [refusal === undefined ? `- ${name}` : refused], bytes: 0 };
  }
  const [from, to] = [undoer.stateText(present.state), undoer.stateText(target.state)];
  if (isAlready === true && refusal === undefined) {
    return { lines: [`- ${name}: it is as it was before already (${to}).`], bytes: 0 };
  }
  const isOldest = changes.length >= VERSIONS_OF_ONE ? `; ${OLDEST}` : "";
  const line = refusal === undefined ? `- ${name}: ${from} -> ${to}${isOldest}` : refused;
  const mayShow = undoer.shownBy === undefined || context.allows?.(undoer.shownBy) !== false;
  const diff = mayShow && room > MIN_DIFF_BYTES ? differences(undoer, present, target) : [];
  if (diff.length === 0) return { lines: [line], bytes: 0 };
  const shown = block(excerpt(diff.join("\n"), Math.min(room, 4_000)));
  return { lines: [line, shown], bytes: utf8Length(shown) };
}

function differences({ textOf: shown = textOf }: Undoer, ...states: Present[]): string[] {
  const [before, after] = states.map(({ content }) =>
    content === undefined ? "" : shown(content),
  );
  return before === undefined || after === undefined ? [] : diffLines(before, after);
}
