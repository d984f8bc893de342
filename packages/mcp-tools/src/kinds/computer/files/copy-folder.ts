import { type ComputerView, matchesGlob } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { type Computer, computerFacts } from "../computer.js";
import { askComputer } from "../undo/ask.js";
import { writeWhole } from "../undo/write-whole.js";
import { readWhole } from "../whole-file.js";
import { joinLines, plural, shown, spaceOf, spaceText, startupText } from "./common.js";
import { absolute, computerFiles, type Files, plan, reasonOf } from "./sync.js";

/** Clients time out after 60 s; the next call continues. */
const ENOUGH_MS = 40_000;
const NAMED = 40;

export interface FolderCopy {
  source: ComputerView;
  there: ComputerView;
  from: string;
  to: string;
  overwrite: boolean;
  except: readonly string[];
}

export async function isFolder(
  context: ToolContext,
  computer: Computer,
  path: string,
): Promise<boolean> {
  const found = await askComputer(context, computer, "list-files", { path, limit: 1 });
  return !found.entries.some((entry) => entry.path === found.path && entry.isDir !== true);
}

export async function copyFolder(context: ToolContext, copy: FolderCopy): Promise<ToolOutcome> {
  const { source, there, overwrite, except } = copy;
  const here = await computerFiles(context, source, copy.from);
  const target = await computerFiles(context, there, copy.to);
  const wanted = new Map([...here.files].filter(([path]) => !isLeftOut(path, except)));
  const leftOut = [...here.files.keys()].filter((path) => !wanted.has(path));
  const { create, update, unchanged, growth } = plan(wanted, target.files);
  if (update.length > 0 && !overwrite) {
    throw new ToolError(
      `${plural(update.length, "file")} in ${shown(target.root)} on ${there.name} would be replaced: ${named(update)}. Nothing was written.`,
      "Set overwrite to replace them, or leave them out with except.",
    );
  }
  if (typeof target.freeSpace === "number" && growth > target.freeSpace) {
    throw new ToolError(
      `It does not fit: ${growth} more bytes are needed on the disk of ${there.name} (a file takes at least 500), and ${target.freeSpace} are free. Nothing was written.`,
      "Make room there, or leave files out with except.",
    );
  }
  const files = [...create, ...update];
  const run = await copyFiles(context, { ...copy, files, wanted, present: target.files }, [
    here.root,
    target.root,
  ]);
  const replaced = run.done.filter((path) => update.includes(path)).length;
  const isWhole = run.error === undefined;
  return {
    text: joinLines([
      `Copied ${shown(here.root)} on ${source.name} to ${shown(target.root)} on ${there.name}: ${counted(run.done.length, files.length)}${replaced === 0 ? "" : `, ${replaced} of them replaced`}${unchanged === 0 ? "" : `; ${unchanged} equal already`}.`,
      run.done.length === 0 ? undefined : named(run.done),
      leftOut.length === 0 ? undefined : `Left out: ${named(leftOut)}`,
      here.skipped.length === 0 ? undefined : `Cannot be copied: ${named(here.skipped)}`,
      isWhole
        ? "Hashes were compared: the copies are equal. Empty folders are not copied."
        : `Stopped: ${run.error} Nothing is half-written. Call copy-file again for the rest.`,
      startupText(...run.done.map((file) => absolute(target.root, file))),
      spaceText(run.space ?? target),
    ]),
    structured: () => ({
      ...computerFacts(source),
      ...{ from: here.root, to: target.root, replaced: replaced > 0 },
      ...{ files: run.done.length, folders: 1, toComputerId: there.provider.computerId },
      ...spaceOf(run.space ?? target),
    }),
    ...(isWhole ? {} : { isError: true }),
  };
}

/** Matches the name of the file or of a parent folder, or the path within the folder. */
function isLeftOut(path: string, except: readonly string[]): boolean {
  const parts = path.split("/");
  return except.some((pattern) => {
    const plain = pattern.replace(/^\/+|\/+$/g, "");
    return matchesGlob(plain, path) || parts.some((part) => matchesGlob(plain, part));
  });
}

const named = (files: readonly string[]) =>
  files.slice(0, NAMED).map(shown).join(", ") +
  (files.length > NAMED ? ` and ${files.length - NAMED} more` : "");

const counted = (done: number, all: number) =>
  done === all ? plural(all, "file") : `${done} of ${plural(all, "file")}`;

interface Run {
  done: string[];
  error?: string;
  space?: { freeSpace?: number | string | undefined; capacity?: number | undefined };
}

async function copyFiles(
  context: ToolContext,
  {
    source,
    there,
    files,
    wanted,
    present,
  }: FolderCopy & { files: readonly string[]; wanted: Files; present: Files },
  [from, to]: readonly [string, string],
): Promise<Run> {
  const run: Run = { done: [] };
  const deadline = performance.now() + ENOUGH_MS;
  for (const [index, file] of files.entries()) {
    if ((context.gone ?? context.signal).aborted) return { ...run, error: "it was cancelled." };
    if (performance.now() > deadline) return { ...run, error: "it takes long." };
    context.progress?.(`${index + 1} of ${files.length}: ${shown(file)}`);
    try {
      const hash = wanted.get(file)?.hash;
      const bytes = await readWhole(context, source, absolute(from, file), hash);
      const written = await writeWhole(context, there, absolute(to, file), {
        bytes,
        expectedHash: present.get(file)?.hash ?? "absent",
      });
      run.space = written;
      if (written.hash !== hash) return { ...run, error: `${shown(file)} has another hash there.` };
    } catch (error) {
      return { ...run, error: `${shown(file)}: ${reasonOf(error)}` };
    }
    run.done.push(file);
  }
  return run;
}
