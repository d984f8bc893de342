import { findComputer } from "@ccbridge/registry";
import { z } from "zod";
import { destructiveOnce } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { quoted } from "../../../format/set-apart.js";
import { cutEnd, pageOf } from "../../../format/text.js";
import { computerFacts, computerShape, target } from "../computer.js";
import {
  joinLines,
  nameOf,
  path,
  plural,
  shown,
  space,
  spaceOf,
  spaceText,
  startupText,
} from "./common.js";
import {
  absolute,
  carryOut,
  computerFiles,
  hostFiles,
  openHost,
  type Plan,
  plan,
  type Run,
} from "./sync.js";

const NAMES = 40;
const NAME_BYTES = 2_500;

const names = z.array(z.string());

export const syncFolder = defineTool({
  name: "sync-folder",
  title: "Mirror a host folder to or from a computer",
  effect: "folders mirrored",
  description:
    "Mirrors an allowed folder on the bridge's machine to a folder on a computer, or the other way " +
    "round. The first call is a dry run; call again with dryRun false.",
  input: z.object({
    ...target,
    folder: z.string().min(1).meta({ description: "Name of the allowed folder.", obvious: true }),
    subPath: z.string().default("").describe("Folder inside it. Default: all of it."),
    computerPath: path.describe("Folder on the computer's disk."),
    direction: z
      .enum(["to-computer", "from-computer"])
      .meta({ description: "Which way to copy.", obvious: true }),
    dryRun: z
      .boolean()
      .default(true)
      .meta({ description: "Only say what would change.", obvious: true }),
    deleteExtra: z.boolean().default(false).describe("Delete files that the source lacks."),
  }),
  output: z.object({
    ...computerShape,
    folder: z.string(),
    subPath: z.string(),
    computerPath: z.string(),
    direction: z.string(),
    dryRun: z.boolean(),
    create: names.describe("Files that are new on the target; only the first are named."),
    update: names.describe("Files that differ; only the first are named."),
    delete: names.describe("Files to delete; only the first are named."),
    counts: z.object({
      create: z.int(),
      update: z.int(),
      delete: z.int(),
      unchanged: z.int(),
      kept: z.int().describe("Files that only the target has and that stay."),
      done: z.int().describe("How many were created, updated or deleted by this call."),
    }),
    skipped: names.describe("Files left out because they cannot be mirrored."),
    complete: z.boolean().describe("Whether both sides now match, apart from extra files."),
    error: z.string().optional().describe("Why it stopped early."),
    ...space,
  }),
  annotations: destructiveOnce,
  async handler(args, context) {
    const { computerId, direction, dryRun, deleteExtra } = args;
    const toComputer = direction === "to-computer";
    const host = openHost(context, args.folder, args.subPath);
    const onHost = await hostFiles(host);
    const computer = await findComputer(context.providers, computerId);
    const onComputer = await computerFiles(context, computer, args.computerPath);
    const { root } = onComputer;
    if (toComputer && !onHost.exists) {
      throw new ToolError(
        `The host folder ${quoted(args.folder)} has no folder ${shown(args.subPath)}.`,
        "Correct subPath, or leave it out for the whole folder.",
      );
    }
    if (!toComputer && onComputer.missing) {
      throw new ToolError(
        `${shown(root)} does not exist on ${computer.name}.`,
        "Call list-files to see what does, and correct computerPath.",
      );
    }
    if (toComputer && /^\/rom(\/|$)/.test(root)) {
      throw new ToolError(
        `${shown(root)} on ${computer.name} is read-only: /rom belongs to the mod.`,
        "Name another folder as computerPath.",
      );
    }
    if (deleteExtra && toComputer && root === "/") {
      throw new ToolError(
        "deleteExtra is refused for the root of a computer: it would delete the programs that keep it linked.",
        "Name a folder as computerPath, or leave deleteExtra out.",
      );
    }
    const steps = toComputer
      ? plan(onHost.files, onComputer.files)
      : plan(onComputer.files, onHost.files);
    const remove = deleteExtra ? steps.extra : [];
    const short = toComputer ? shortage(steps, onComputer.freeSpace) : undefined;
    const run: Run = { done: 0, error: short };
    if (!dryRun && short === undefined) {
      const sides = {
        context,
        computer,
        host,
        root,
        onHost: onHost.files,
        onComputer: onComputer.files,
      };
      await carryOut({ ...sides, toComputer, steps, remove }, run);
    }
    const all = steps.create.length + steps.update.length + remove.length;
    const skipped = [...onHost.skipped, ...onComputer.skipped];
    const facts = {
      ...computerFacts(computer),
      folder: args.folder,
      subPath: args.subPath,
      computerPath: root,
      direction,
      dryRun,
      create: some(steps.create),
      update: some(steps.update),
      delete: some(remove),
      counts: {
        create: steps.create.length,
        update: steps.update.length,
        delete: remove.length,
        unchanged: steps.unchanged,
        kept: steps.extra.length - remove.length,
        done: run.done,
      },
      skipped: some(skipped),
      complete: run.done === all,
      ...(run.error === undefined ? {} : { error: run.error }),
      ...spaceOf(run.space ?? onComputer),
    };
    const written = toComputer ? [...steps.create, ...steps.update] : [];
    return {
      text: joinLines([
        report(facts, nameOf(computer)),
        startupText(...written.map((file) => absolute(root, file))),
      ]),
      structured: () => facts,
      ...(run.error !== undefined && !dryRun ? { isError: true } : {}),
    };
  },
});

function shortage({ growth }: Plan, freeSpace: number | string | undefined): string | undefined {
  if (typeof freeSpace !== "number" || growth <= freeSpace) return undefined;
  return `It does not fit: ${growth} more bytes are needed on the computer's disk (a file takes at least 500), and ${freeSpace} are free.`;
}

const some = (files: readonly string[]) =>
  pageOf(
    files.slice(0, NAMES).map((file) => cutEnd(file, 200)),
    0,
    NAME_BYTES,
  ).items;

interface Report {
  folder: string;
  subPath: string;
  computerPath: string;
  direction: string;
  dryRun: boolean;
  create: string[];
  update: string[];
  delete: string[];
  counts: Record<"create" | "update" | "delete" | "unchanged" | "kept" | "done", number>;
  skipped: string[];
  complete: boolean;
  error?: string;
  freeSpace?: number | string;
  capacity?: number;
}

function report(result: Report, name: string): string {
  const { counts, dryRun, direction, complete, error, skipped } = result;
  const host = `host folder ${shown([result.folder, result.subPath].filter((part) => part !== "").join("/"))}`;
  const there = `${shown(result.computerPath)} on ${name}`;
  const [from, to] = direction === "to-computer" ? [host, there] : [there, host];
  const all = counts.create + counts.update + counts.delete;
  const marked = (mark: string, files: string[], count: number) => [
    ...files.map((file) => `${mark} ${shown(file)}`),
    ...(count > files.length ? [`${mark} ... and ${count - files.length} more`] : []),
  ];
  return joinLines([
    `${dryRun ? "Dry run, nothing was changed: " : ""}${from} to ${to}: ${counts.create} to create, ${counts.update} to update, ${counts.delete} to delete, ${counts.unchanged} unchanged.`,
    ...marked("+", result.create, counts.create),
    ...marked("~", result.update, counts.update),
    ...marked("-", result.delete, counts.delete),
    counts.kept > 0
      ? `${plural(counts.kept, "file")} only on the target: kept, because deleteExtra is not set.`
      : undefined,
    skipped.length > 0 ? `Left out: ${skipped.map(shown).join(", ")}` : undefined,
    error === undefined ? undefined : `Stopped: ${error}`,
    direction === "to-computer" ? spaceText(result) : undefined,
    verdict(all, { dryRun, complete, done: counts.done, failed: error !== undefined }),
  ]);
}

function verdict(
  all: number,
  run: { dryRun: boolean; complete: boolean; done: number; failed: boolean },
): string {
  if (run.dryRun) {
    if (all === 0) return "There is nothing to do.";
    return run.failed
      ? "Make room on the computer first."
      : "Call sync-folder again with dryRun false to do it.";
  }
  if (run.complete) return all === 0 ? "There was nothing to do." : `Done: ${plural(all, "file")}.`;
  return `${run.done} of ${all} done; nothing is half-written. Fix the cause, then call sync-folder again for the rest.`;
}
