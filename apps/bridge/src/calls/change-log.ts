import { createHash } from "node:crypto";
import type {
  ChangeLog,
  ChangeStore,
  KeptChange,
  KeptChangeFilter,
  KeptState,
} from "@ccbridge/registry";
import { type Client, isOwner } from "../auth/rights/client.js";

/** Which call changes something. */
export interface ChangingCall {
  readonly trace: string;
  readonly tool: string;
}

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
  const find = (filter: KeptChangeFilter) => {
    if (isOwner(client)) return store.find(filter);
    const isOthers = filter.client !== undefined && filter.client !== client.name;
    if (isOthers) return Promise.resolve({ changes: [], next: undefined });
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
      await store.save(kept, content);
      return {
        id,
        async end(state: KeptState | null) {
          await store.save({ ...kept, after: state, isDone: true });
          await markUndone(store, id, undone);
        },
        drop: () => store.drop(id),
      };
    },
  };
}

function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}

/** Those are undone now; and what they had undone themselves holds again. */
async function markUndone(
  store: ChangeStore,
  id: string,
  undone: readonly KeptChange[],
): Promise<void> {
  const redone = undone.flatMap(({ undoes }) => undoes);
  const { changes } =
    redone.length === 0 ? { changes: [] } : await store.find({ ids: redone, limit: redone.length });
  await Promise.all([
    ...undone.map((change) => store.save({ ...change, undoneBy: id })),
    ...changes.map((change) => store.save({ ...change, undoneBy: null })),
  ]);
}
