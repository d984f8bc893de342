import { type KeptFile, type MethodParams, type MethodResult, methods } from "@ccbridge/protocol";
import { isComputer, type KeptState } from "@ccbridge/registry";
import { ToolError } from "../../../core/errors.js";
import type { JobChange, KeepingProvider } from "../../../core/undo.js";
import { fromBase64 } from "../../../format/bytes.js";
import { ABSENT, stateOf } from "./file-state.js";
import { FILE } from "./keep-files.js";

const METHOD = "kept-files";
/** A job that never stops changing files must not keep its bridge here. */
const MAX_PAGES = 100;

/** Files that jobs changed through `fs`: the computer kept what was in them, and forgets what is saved here. */
export async function collectJobFiles(
  from: KeepingProvider,
  save: (changes: readonly JobChange[]) => Promise<void>,
): Promise<void> {
  const { provider } = from;
  if (!isComputer(provider) || !provider.methods.includes(METHOD)) return;
  let forget: string[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const asked = Date.now();
    const { files, now, more } = await ask(from, { forget });
    const ahead = clockAhead(now, asked, Date.now());
    await save(files.map((file) => changeOf(file, ahead)));
    forget = files.map(({ id }) => id);
    if (more !== true) break;
  }
  // What was changed meanwhile is kept until the next time.
  if (forget.length > 0) await ask(from, { forget });
}

/**
 * How far this clock is ahead of one that said `now` between two times here. None, where that can be: a long answer must not
 * move a change past one that was made later.
 */
function clockAhead(now: number, asked: number, answered: number): number {
  return Math.min(Math.max(0, asked - now), answered - now);
}

async function ask(
  { provider, request }: KeepingProvider,
  params: MethodParams<typeof METHOD>,
): Promise<MethodResult<typeof METHOD>> {
  const answer = await request(METHOD, params);
  if (!answer.ok) throw new ToolError(answer.error, `Look at ${provider.name}.`);
  return methods[METHOD].result.parse(answer.result);
}

function changeOf({ id, job, path, time, ...file }: KeptFile, ahead: number): JobChange {
  const content = contentOf(file);
  const cannot =
    file.absent === true || content !== undefined
      ? undefined
      : `what was in the file before could not be kept: ${file.problem ?? "it is unknown why"}`;
  const before = file.absent === true ? ABSENT : content === undefined ? null : stateOf(content);
  return {
    // Numbers begin again when nothing is kept.
    id: `${job} ${id} ${time}`,
    ...{ job, at: time, time: time + ahead, what: FILE, subject: path, before, content, cannot },
    after: stateAfter(file),
  };
}

function contentOf({ content, text, left, length }: Contents): Uint8Array | undefined {
  if (text !== undefined) return encode(text);
  if (left !== undefined && length !== undefined) return encode(left.slice(0, length));
  try {
    return content === undefined ? undefined : fromBase64(content);
  } catch {
    return undefined;
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

type Contents = Pick<KeptFile, "content" | "text" | "left" | "length">;

function stateAfter({ after, left }: Pick<KeptFile, "after" | "left">): KeptState | null {
  if (left !== undefined) return stateOf(encode(left));
  if (after?.absent === true) return ABSENT;
  if (after?.hash === undefined || after.size === undefined) return null;
  return { size: after.size, hash: after.hash };
}
