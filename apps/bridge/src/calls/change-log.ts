import { createHash } from "node:crypto";
import {
  type ChangeLog,
  type ChangeStore,
  type KeptChange,
  type KeptChangeFilter,
  type KeptState,
  LinkError,
} from "@ccbridge/registry";
import { type Client, isOwner } from "../auth/rights/client.js";

export interface ChangingCall {
  readonly trace: string;
  readonly tool: string;
}

const MAX_OPEN = 1_000;

let count = 0;

/** Grows with time and is short: models type it. */
function changeId(): string {
  count += 1;
  return `${Date.now().toString(36)}-${count}`;
}

/** What one call changes, kept with its client; and what this client may know of earlier changes. */
export function changeLog(
  store: ChangeStore,
  client: Client,
  { trace, tool }: ChangingCall,
  undone: readonly KeptChange[] = [],
): ChangeLog {
  const find = async (filter: KeptChangeFilter) => {
    if (filter.ids === undefined && filter.before === undefined) await store.settle?.();
    if (isOwner(client)) return store.find(filter);
    const isOthers = filter.client !== undefined && filter.client !== client.name;
    if (isOthers) return { changes: [], next: undefined };
    return store.find({ ...filter, client: client.name });
  };
  return {
    find,
    content: (hash) => store.content(hash),
    undoing: (changes) => changeLog(store, client, { trace, tool }, changes),
    async begin({ after = null, cannot = null, job = null, ...change }, content) {
      const id = changeId();
      const kept: KeptChange = {
        ...{ ...change, id, time: Date.now(), client: client.name, trace, tool, job },
        ...{ after, cannot, isDone: false, undoneBy: null },
        content: content === undefined ? null : contentHash(content),
        undoes: undone.map((each) => each.id),
      };
      const mark = (undoing: string | null) =>
        Promise.all(undone.map((each) => store.save({ ...each, undoing })));
      const drop = async () => {
        await store.drop(id);
        await mark(null).catch(isMarked);
      };
      await store.save(kept, content);
      await mark(id).catch(async (error: LinkError) => {
        await drop();
        throw new LinkError(error.code, `${error.message}, so nothing was done`);
      });
      return {
        id,
        async end(state: KeptState | null) {
          await store.save({ ...kept, after: state, isDone: true });
          await markUndone(store, undone, id).catch(isMarked);
        },
        drop,
      };
    },
  };
}

/** What was to be undone stays marked as begun, which is what is known there. */
const isMarked = () => {};

export function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}

/** Ends an undo whose bridge was killed before it had the answer. False when this was no undo. */
export async function endUndo(
  store: ChangeStore,
  { key, what, before, after }: Pick<KeptChange, "key" | "what" | "before" | "after">,
): Promise<boolean> {
  const { changes } = await store.find({ keys: [key], what, limit: MAX_OPEN });
  const made = JSON.stringify([before, after]);
  const open = changes.find(
    (change) =>
      !change.isDone &&
      change.undoes.length > 0 &&
      JSON.stringify([change.before, change.after]) === made,
  );
  if (open === undefined) return false;
  const { undoes, id } = open;
  await store.save({ ...open, isDone: true });
  const undone = await store.find({ ids: undoes, limit: undoes.length });
  await markUndone(store, undone.changes, id);
  return true;
}

/** These are undone now. What they had taken back themselves holds again, and so on. */
async function markUndone(
  store: ChangeStore,
  undone: readonly KeptChange[],
  by: string,
): Promise<void> {
  const changes = await withTaken(store, undone);
  const undoneBy = new Map<string, string | null>(undone.map(({ id }) => [id, by]));
  const isSettled = new Set(undoneBy.keys());
  for (const { id, undoes } of changes) {
    const holds = (undoneBy.get(id) ?? null) === null;
    for (const taken of undoes) {
      if (isSettled.has(taken)) continue;
      undoneBy.set(taken, undoneBy.get(taken) ?? (holds ? id : null));
    }
  }
  await Promise.all(
    changes.map((change) =>
      store.save({ ...change, undoneBy: undoneBy.get(change.id) ?? null, undoing: null }),
    ),
  );
}

/** With all that they took back, newest first. */
async function withTaken(
  store: ChangeStore,
  changes: readonly KeptChange[],
): Promise<readonly KeptChange[]> {
  const all = new Map(changes.map((change) => [change.id, change]));
  for (;;) {
    const ids = [...all.values()].flatMap(({ undoes }) => undoes.filter((id) => !all.has(id)));
    const found = ids.length === 0 ? [] : (await store.find({ ids, limit: ids.length })).changes;
    if (found.length === 0) return [...all.values()].sort(newestFirst);
    for (const change of found) all.set(change.id, change);
  }
}

function newestFirst(a: KeptChange, b: KeptChange): number {
  const number = ({ id }: KeptChange) => Number(id.split("-")[1]);
  return b.time - a.time || number(b) - number(a);
}
