import { type ChangeLog, type KeptChange, LinkError } from "@ccbridge/registry";
import { z } from "zod";
import { destructive } from "../core/annotations.js";
import { defineTool, type ToolContext } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import type { Target } from "../core/targets.js";
import { inline, toJson } from "../format/set-apart.js";
import { changesOf, choice, filterOf, undoerOf } from "./chosen-changes.js";
import { type Checked, checkStep, previewOf } from "./undo-check.js";
import { type UndoStep, undoSteps } from "./undo-plan.js";

const NAME = "undo-change";
const MAX_CHANGES = 5_000;
/** Clients time out after 60 s; the next call continues. */
const ENOUGH_MS = 40_000;
/** Bytes of differences in an answer. */
const DIFF_BYTES = 9_000;

const input = z.object({
  changes: z
    .array(z.string().min(1).max(40))
    .min(1)
    .max(100)
    .optional()
    .describe("Ids; or all that fit:"),
  ...choice,
  dryRun: z.boolean().optional().describe("Only show it. Default: true for several."),
  force: z
    .boolean()
    .default(false)
    .describe(
      "Files, blocks: lose what something else changed since. Items: even if it may be undone already.",
    ),
});

type Asked = z.output<typeof input>;

export const undoChange = defineTool({
  name: NAME,
  title: "Undo changes",
  effect: "changes undone",
  description:
    "Puts files, blocks, items and settings back as before changes, unless something else changed them since.",
  input,
  output: z.object({
    dryRun: z.boolean(),
    undone: z.array(z.string()).describe("Ids of the changes that were taken back."),
    refused: z.array(z.object({ change: z.string(), why: z.string(), mayForce: z.boolean() })),
    details: z.string().describe("What differs, line by line."),
  }),
  annotations: destructive,
  async findTargets(asked, context): Promise<readonly Target[]> {
    const { providers } = context;
    const keys = new Set((await chosen(asked, context)).map(({ key }) => key));
    const linked = await Promise.all([...keys].map((key) => providers.get(key)));
    return linked.flatMap((view) =>
      view === undefined ? [] : [{ key: view.key, name: view.name }],
    );
  },
  async handler(asked, context) {
    const all = await chosen(asked, context);
    const steps = undoSteps(all, (change) => undoerOf(change, context));
    if (steps.length === 0) {
      throw new ToolError(
        all.length === 0 ? "No such change is known." : `${undoneText(all)}.`,
        "list-changes shows what can be undone.",
      );
    }
    const count = steps.reduce((sum, { changes }) => sum + changes.length, 0);
    const isDry = asked.dryRun ?? count > 1;
    const run = isDry ? await preview(steps, asked, context) : await undo(steps, asked, context);
    return {
      text: [heading(run, isDry, count), ...run.lines, isDry ? next(asked, run) : run.stopped]
        .filter((line) => line !== undefined)
        .join("\n"),
      structured: () => {
        const { undone, refused, lines } = run;
        return { dryRun: isDry, undone, refused, details: lines.join("\n") };
      },
      ...(run.refused.length > 0 && run.undone.length === 0 ? { isError: true } : {}),
    };
  },
});

async function chosen(
  asked: Asked,
  context: Pick<ToolContext, "settings" | "history" | "changes">,
): Promise<readonly KeptChange[]> {
  const { changes: ids, dryRun: _, force: __, ...which } = asked;
  if (ids === undefined && Object.values(which).every((value) => value === undefined)) {
    throw new ToolError(
      "undo-change needs to know which changes. Nothing was undone.",
      "Give the ids of changes, or a trace id, job, client, provider, file or time.",
    );
  }
  const log: ChangeLog = changesOf(context);
  const filter = await filterOf(which, context);
  const { changes, next } = await log.find({ ...filter, ids, limit: MAX_CHANGES });
  if (next !== undefined) {
    throw new ToolError(
      `These are more than ${MAX_CHANGES} changes. Nothing was undone.`,
      "Choose fewer: a shorter time, one provider, or a part of a path.",
    );
  }
  const missing = ids?.filter((id) => !changes.some((change) => change.id === id)) ?? [];
  if (missing.length > 0) {
    throw new ToolError(
      `No change ${missing.map((id) => inline(id)).join(", ")} of this client is known. Nothing was undone.`,
      "list-changes shows which there are.",
    );
  }
  return changes;
}

function undoneText(changes: readonly KeptChange[]): string {
  const by = new Set(changes.flatMap(({ undoneBy }) => undoneBy ?? []));
  return by.size === 0
    ? "These changes cancel one another: there is nothing to undo"
    : `Undone already, by ${[...by].slice(0, 5).join(", ")}, which can itself be undone`;
}

interface Run {
  readonly lines: string[];
  readonly undone: string[];
  readonly refused: { change: string; why: string; mayForce: boolean }[];
  stopped?: string;
}

async function preview(
  steps: readonly UndoStep[],
  asked: Asked,
  context: ToolContext,
): Promise<Run> {
  const run: Run = { lines: [], undone: [], refused: [] };
  let room = DIFF_BYTES;
  for (const step of steps) {
    const checked = await checkStep(step, asked.force, context);
    if (checked.refusal !== undefined) refuse(run, step, checked.refusal, checked);
    else if (checked.isAlready !== true) run.undone.push(...idsOf(step));
    const shown = previewOf(step, checked, context, room);
    room -= shown.bytes;
    run.lines.push(...shown.lines);
  }
  return run;
}

async function undo(steps: readonly UndoStep[], asked: Asked, context: ToolContext): Promise<Run> {
  const run: Run = { lines: [], undone: [], refused: [] };
  const deadline = performance.now() + ENOUGH_MS;
  for (const [index, step] of steps.entries()) {
    if ((context.gone ?? context.signal).aborted) break;
    if (performance.now() > deadline) {
      run.stopped = `It takes long, so this call stops here. Call ${NAME} again for the other ${steps.length - index}.`;
      break;
    }
    context.progress?.(`${index + 1} of ${steps.length}: ${inline(step.last.subject, 200)}`);
    const checked = await checkStep(step, asked.force, context);
    const failure = checked.refusal ?? (await restore(step, checked, context));
    if (failure !== undefined) refuse(run, step, failure, checked);
    else if (checked.isAlready !== true) run.undone.push(...idsOf(step));
    run.lines.push(
      ...previewOf(step, { ...checked, refusal: failure }, context, asked.changes ? DIFF_BYTES : 0)
        .lines,
    );
  }
  return run;
}

const idsOf = ({ changes }: UndoStep) => changes.map(({ id }) => id);

/** Returns why it did not work. */
async function restore(
  step: UndoStep,
  { undoer, provider, present, target, isAlready }: Checked,
  context: ToolContext,
): Promise<string | undefined> {
  if (undoer === undefined || provider === undefined || !present || !target) return "it is away";
  if (isAlready === true) return undefined;
  const changes = changesOf(context).undoing(step.changes);
  try {
    const restoring = { provider, change: step.last, present, target };
    await undoer.restore({ ...context, changes }, restoring);
    return undefined;
  } catch (error) {
    const isSaid = error instanceof ToolError || error instanceof LinkError;
    return isSaid ? error.message : inline(String(error), 300);
  }
}

function refuse(run: Run, { last }: UndoStep, why: string, { mayForce = false }: Checked): void {
  run.refused.push({ change: last.id, why, mayForce });
}

function heading({ undone, refused }: Run, isDry: boolean, count: number): string {
  const changes = count === 1 ? "1 change" : `${count} changes`;
  if (undone.length + refused.length === 0) return "Everything is as it was before already.";
  if (isDry) return `Nothing was changed yet. What undoing ${changes} would do:`;
  if (refused.length === 0)
    return `Undone: ${undone.length === 1 ? "1 change" : `${undone.length} changes`}.`;
  return undone.length === 0
    ? "Nothing was undone."
    : `Undone: ${undone.length} of ${changes}. Refused for ${refused.length}.`;
}

function next(asked: Asked, { undone, refused }: Run): string | undefined {
  if (undone.length === 0) return undefined;
  const given = Object.fromEntries(
    Object.entries({ ...asked, dryRun: false }).filter(
      ([name, value]) => value !== undefined && (name !== "force" || value),
    ),
  );
  const rest = refused.length === 0 ? "" : " What is refused stays as it is.";
  return `To do it: ${NAME} ${toJson(given)}.${rest}`;
}
