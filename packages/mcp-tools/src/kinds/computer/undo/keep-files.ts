import type { MethodParams, MethodResult } from "@ccbridge/protocol";
import type { KeptState, NewChange, OpenChange } from "@ccbridge/registry";
import { ToolError } from "../../../core/errors.js";
import { fromBase64, utf8 } from "../../../format/bytes.js";
import type { Computer } from "../computer.js";
import { request } from "../request.js";
import { ABSENT, type FileNow, fileNow, hashOf, isFolder, stateOf, treeNow } from "./file-state.js";
import type { KeepingContext } from "./keepers.js";

export const FILE = "file";

/** Something else may change a file between reading and writing it; then it is read again, this often. */
const ATTEMPTS = 3;

interface Step {
  readonly now: FileNow;
  readonly after: KeptState | null;
}

type Send<R> = (expectedHash: string | undefined) => Promise<R>;

/** Sends the request with what is kept of the files; forgets them again if the computer refuses. */
async function keeping<R>(
  context: KeepingContext,
  computer: Computer,
  steps: readonly Step[],
  { send, after }: { send: () => Promise<R>; after(result: R, step: Step): KeptState | null },
  cannot?: string,
): Promise<R> {
  const begun = await Promise.all(
    steps.map(async (step) => ({ step, change: await begin(context, computer, step, cannot) })),
  );
  let result: R;
  try {
    result = await send();
  } catch (error) {
    // Refused: nothing was done. After any other failure it may have been.
    if (error instanceof ToolError) await Promise.all(begun.map(({ change }) => change.drop()));
    throw error;
  }
  await Promise.all(begun.map(({ step, change }) => change.end(after(result, step))));
  return result;
}

function begin(
  { changes }: KeepingContext,
  { key, provider }: Computer,
  { now, after }: Step,
  cannot = cannotUndo(now),
): Promise<OpenChange> {
  const { path: subject, state: before, content } = now;
  const facts: NewChange = { key, provider: provider.name, what: FILE, subject, before, after };
  return changes.begin({ ...facts, cannot: cannot ?? null }, content);
}

function cannotUndo({ state, content, problem }: FileNow): string | undefined {
  if (content !== undefined || hashOf(state) === "absent") return undefined;
  return `what was in the file before could not be kept: ${problem ?? "it was not read"}`;
}

/** Sends a request that replaces or deletes one file, and only what was kept of it. */
async function replacing<R>(
  context: KeepingContext,
  computer: Computer,
  path: string,
  how: {
    readonly expectedHash: string | undefined;
    readonly after: (now: FileNow) => KeptState | null;
    readonly afterwards: (result: R) => KeptState;
    readonly send: Send<R>;
  },
): Promise<R> {
  const { expectedHash, send } = how;
  for (let attempt = 1; ; attempt++) {
    const now = await fileNow(context, computer, path);
    if (isFolder(now.state)) return send(expectedHash);
    const isLast = attempt >= ATTEMPTS;
    const guard = expectedHash ?? (isLast ? undefined : hashOf(now.state));
    const cannot = isLast ? "something else was writing the file at the same time" : undefined;
    try {
      return await keeping(
        context,
        computer,
        [{ now, after: how.after(now) }],
        { send: () => send(guard), after: how.afterwards },
        cannot,
      );
    } catch (error) {
      if (!(error instanceof ToolError) || expectedHash !== undefined || isLast) throw error;
      const later = await fileNow(context, computer, path);
      if (hashOf(later.state) === hashOf(now.state)) throw error;
    }
  }
}

export function keepWrite(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"write-file">,
): Promise<MethodResult<"write-file">> {
  const { content, encoding, append, expectedHash } = params;
  const bytes = () => (encoding === "base64" ? fromBase64(content) : utf8(content));
  return replacing(context, computer, params.path, {
    expectedHash,
    after: (now) => predicted(bytes, append === true, now),
    afterwards: ({ size, hash }) => ({ size, hash }),
    send: (guard) => request(context, computer, "write-file", guarded(params, guard)),
  });
}

/** So that a change in the middle of which the bridge stopped can be recognized. */
function predicted(bytes: () => Uint8Array, append: boolean, now: FileNow): KeptState | null {
  try {
    if (!append || hashOf(now.state) === "absent") return stateOf(bytes());
    if (now.content === undefined) return null;
    const added = bytes();
    const all = new Uint8Array(now.content.length + added.length);
    all.set(now.content);
    all.set(added, now.content.length);
    return stateOf(all);
  } catch {
    // Not base64: the computer says so.
    return null;
  }
}

export function keepEdit(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"edit-file">,
): Promise<MethodResult<"edit-file">> {
  return replacing(context, computer, params.path, {
    expectedHash: params.expectedHash,
    after: () => null,
    afterwards: ({ size, hash }) => ({ size, hash }),
    send: (guard) => request(context, computer, "edit-file", guarded(params, guard)),
  });
}

export async function keepDelete(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"delete-file">,
): Promise<MethodResult<"delete-file">> {
  const send: Send<MethodResult<"delete-file">> = (guard) =>
    request(context, computer, "delete-file", guarded(params, guard));
  const { path, expectedHash } = params;
  const now = params.recursive === true ? await fileNow(context, computer, path) : undefined;
  if (now === undefined || !isFolder(now.state)) {
    const after = () => ABSENT;
    return replacing(context, computer, path, { expectedHash, after, afterwards: after, send });
  }
  const { files, hash, problem } = await treeNow(context, computer, path, { contents: true });
  const all = problem === undefined ? files : [now];
  const steps = all.map((file) => ({ now: file, after: ABSENT }));
  const sendGuarded = () => guardedTree(context, computer, now.path, hash, send);
  return keeping(context, computer, steps, { send: sendGuarded, after: () => ABSENT }, problem);
}

async function endsOf(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"move-file">,
): Promise<{ from: FileNow; to: FileNow }> {
  const from = await fileNow(context, computer, params.from);
  const to = await fileNow(context, computer, params.to);
  if (!isFolder(to.state)) return { from, to };
  const inside = `${to.path === "/" ? "" : to.path}/${from.path.replace(/^.*\//, "")}`;
  return { from, to: await fileNow(context, computer, inside) };
}

export async function keepMove(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"move-file">,
): Promise<MethodResult<"move-file">> {
  return transferring(context, computer, params, "move-file");
}

export async function keepCopy(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"copy-file">,
): Promise<MethodResult<"copy-file">> {
  return transferring(context, computer, params, "copy-file");
}

async function transferring(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"move-file">,
  method: "move-file" | "copy-file",
): Promise<MethodResult<"move-file">> {
  const isMove = method === "move-file";
  const { from, to } = await endsOf(context, computer, params);
  type Result = MethodResult<"move-file">;
  const wanted = { after: (_: Result, { after }: Step) => after };
  const send = (expectedHash?: string) => {
    const expectedTarget = hashOf(to.state);
    const guards = expectedTarget === undefined ? {} : { expectedTarget };
    return request(context, computer, method, guarded({ ...params, ...guards }, expectedHash));
  };
  if (hashOf(from.state) === "absent" || isFolder(to.state)) return send();
  if (!isFolder(from.state)) {
    const gone = isMove ? [{ now: from, after: ABSENT }] : [];
    const steps = [...gone, { now: to, after: from.state }];
    return keeping(context, computer, steps, { ...wanted, send: () => send(hashOf(from.state)) });
  }
  const tree = await treeNow(context, computer, from.path, { contents: isMove });
  const { files, hash, problem } = tree;
  const moved = ({ path }: FileNow) => to.path + path.slice(from.path.length);
  const steps =
    problem === undefined
      ? files.flatMap((file) => [
          ...(isMove ? [{ now: file, after: ABSENT }] : []),
          { now: { path: moved(file), state: ABSENT }, after: file.state },
        ])
      : [{ now: to, after: from.state }];
  const sendGuarded = () => guardedTree(context, computer, from.path, hash, send);
  return keeping(context, computer, steps, { ...wanted, send: sendGuarded }, problem);
}

/** A folder as it was listed, or one with a name that the computer writes in another way. */
async function guardedTree<R>(
  context: KeepingContext,
  computer: Computer,
  path: string,
  hash: string,
  send: Send<R>,
): Promise<R> {
  try {
    return await send(hash);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const now = await treeNow(context, computer, path, { contents: false });
    if (now.hash !== hash) throw error;
    return send(undefined);
  }
}

function guarded<P extends object>(params: P, expectedHash: string | undefined): P {
  return expectedHash === undefined ? params : { ...params, expectedHash };
}
