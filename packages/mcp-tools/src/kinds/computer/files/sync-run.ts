import { LinkError } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { type HostFolder, HostFolderError } from "../../../core/host-folders.js";
import { inline } from "../../../format/set-apart.js";
import { askComputer } from "../ask.js";
import type { Computer } from "../computer.js";
import { shown } from "./common.js";
import type { Files, Plan } from "./sync-plan.js";
import { readWhole, WholeFileError, writeWhole } from "./whole-file.js";

/** Clients time out after 60 s; the next call continues. */
const ENOUGH_MS = 40_000;

export interface Run {
  done: number;
  error: string | undefined;
  space?: { freeSpace?: number | string | undefined; capacity?: number | undefined };
}

export interface Work {
  context: ToolContext;
  computer: Computer;
  host: HostFolder;
  root: string;
  onHost: Files;
  onComputer: Files;
  toComputer: boolean;
  steps: Plan;
  remove: readonly string[];
}

/** Runs the steps in order, deletions last, and records progress in `run`. */
export async function carryOut(work: Work, run: Run): Promise<void> {
  const { context, steps, remove, toComputer } = work;
  const deadline = performance.now() + ENOUGH_MS;
  const copies = [...steps.create, ...steps.update];
  const total = copies.length + remove.length;
  for (const [index, file] of [...copies, ...remove].entries()) {
    if ((context.gone ?? context.signal).aborted) return;
    if (performance.now() > deadline) {
      run.error = "It takes long, so this call stops here.";
      return;
    }
    context.progress?.(`${index + 1} of ${total}: ${shown(file)}`);
    try {
      if (index >= copies.length) await (toComputer ? deleteThere : deleteHere)(work, file, run);
      else await (toComputer ? copyThere : copyHere)(work, file, run);
    } catch (error) {
      run.error = `${shown(file)}: ${reasonOf(error)}`;
      return;
    }
    run.done += 1;
  }
}

/** Text not written by this bridge is set apart. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return ownErrors.some((own) => error instanceof own) ? message : inline(message, 500);
}

const ownErrors = [ToolError, LinkError, HostFolderError, WholeFileError];

const absolute = (root: string, file: string) => (root === "/" ? `/${file}` : `${root}/${file}`);

async function copyThere(
  { context, computer, host, root, onComputer }: Work,
  file: string,
  run: Run,
) {
  run.space = await writeWhole(context, computer, absolute(root, file), {
    bytes: await host.read(file),
    expectedHash: onComputer.get(file)?.hash ?? "absent",
  });
}

async function deleteThere({ context, computer, root, onComputer }: Work, file: string, run: Run) {
  const expectedHash = onComputer.get(file)?.hash;
  const path = absolute(root, file);
  const result = await askComputer(context, computer, "delete-file", { path, expectedHash });
  run.space = result;
}

async function copyHere({ context, computer, host, root, onComputer }: Work, file: string) {
  const wanted = onComputer.get(file)?.hash;
  await host.write(file, await readWhole(context, computer, absolute(root, file), wanted));
}

async function deleteHere({ host }: Work, file: string) {
  await host.remove(file);
}
