import type { JobSnapshot, KeptState, MovedItems, OpenChange } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { mayHaveRun, ToolError } from "../../../core/errors.js";
import type { JobChange, Undoer } from "../../../core/undo.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { runJob } from "../../../jobs/run.js";
import { type Computer, computerOf } from "../computer.js";
import { request } from "../request.js";

export const ITEMS = "items";

interface Move {
  readonly computer: Computer;
  readonly to: string;
  readonly job: JobSnapshot;
}

/** Keeps what a job moves, once it has ended; that may be after the call. */
export async function keepMovedItems(context: ToolContext, move: Move): Promise<void> {
  const { jobs } = context.providers;
  const { job } = move;
  const ended = job.ended ? job : await jobs.wait(job.id, { timeoutMs: LATER_MS });
  if (ended !== undefined) await keepMoved(context, { ...move, job: ended });
}

/** The longest time that a timer takes. */
const LATER_MS = 2 ** 31 - 1;

/** Keeps what was moved from where, as the computer says; each source and item by itself. */
async function keepMoved(context: ToolContext, { computer, to, job }: Move): Promise<void> {
  const { changes } = context;
  if (changes === undefined || job.response === undefined) return;
  const { moved } = job.response.result;
  if (moved !== undefined) {
    await Promise.all(moved.map((each) => keepOne(context, computer, { ...each, to })));
    return;
  }
  if (!job.response.ok) return;
  const { key, provider } = computer;
  const unknown = await changes.begin({
    ...{ key, provider: provider.name, what: ITEMS, subject: `items to ${to}`, before: null },
    cannot: "its program does not say what came from where: update mcp-computer",
  });
  await unknown.end(null);
}

async function keepOne(
  { changes }: ToolContext,
  { key, provider }: Computer,
  { from, to, item, count }: MovedItems & { readonly to: string },
): Promise<void> {
  const { after, ...facts } = moveOf({ from, to, item, count });
  const change = await changes?.begin({ key, provider: provider.name, ...facts });
  await change?.end(after);
}

function moveOf({ from, to, item, count }: MovedItems & { readonly to: string }) {
  return {
    what: ITEMS,
    subject: `${count} ${item} from ${from} to ${to}`,
    before: { item, count, in: from },
    after: { item, count, in: to },
  };
}

/** What a job says that it moved. */
export function movedBy({
  id: job,
  response,
}: Pick<JobSnapshot, "id" | "response">): readonly JobChange[] {
  const time = Date.now();
  return (response?.result.moved ?? []).flatMap(({ to, ...moved }, index) => {
    if (to === undefined) return [];
    const facts = moveOf({ ...moved, to });
    return [{ ...facts, id: `${job} ${index}`, job, at: time, time, isOnce: true }];
  });
}

/** Keeps how a move that was begun ended. One whose answer never comes stays begun: it may have been made. */
async function endMove(
  { providers: { jobs } }: ToolContext,
  open: OpenChange,
  job: JobSnapshot,
  after: KeptState,
): Promise<void> {
  const ended = job.ended ? job : await jobs.wait(job.id, { timeoutMs: LATER_MS });
  const { response } = ended ?? {};
  if (response === undefined) return;
  const { moved } = response.result;
  // An old program does not say what it moved before it failed.
  if (moved === undefined) return response.ok ? open.end(after) : undefined;
  const count = moved.reduce((sum, each) => sum + each.count, 0);
  return count === 0 ? open.drop() : open.end({ ...after, count });
}

/** The state says where the items are. They are moved back, if as many are still there. */
export const undoItems: Undoer = {
  isAlone: true,
  addsUp: true,
  async read(context, provider, { after }) {
    const { item, count, in: place } = readState(after);
    const names = [place];
    const computer = computerOf(provider);
    const { inventories } = await request(context, computer, "list-inventory", { names });
    const [inventory] = inventories;
    if (inventory?.error !== undefined) {
      throw new ToolError(quoted(inventory.error, 300), "Look with list-inventory.");
    }
    const found = (inventory?.slots ?? [])
      .filter(({ name }) => name === item)
      .reduce((sum, slot) => sum + slot.count, 0);
    return { state: { item, in: place, count: Math.min(found, count) } };
  },
  isSame(a, b) {
    return a.item === b.item && a.in === b.in && a.count === b.count;
  },
  stateText({ count, item, in: place }) {
    return `${count} ${inline(String(item))} in ${inline(String(place))}`;
  },
  async restore(context, { provider, change, target }) {
    const computer = computerOf(provider);
    const { item, count, in: from } = readState(change.after);
    const { in: to } = readState(target.state);
    const { key, provider: named } = computer;
    const facts = moveOf({ from, to, item, count });
    // Before anything moves: moving back twice would move other items.
    const open = await context.changes?.begin({ key, provider: named.name, ...facts });
    const { job } = await runJob(context, key, {
      ...{ method: "move-items", params: { item, from, to, count } },
      summary: `undo: ${count} ${item} to ${to}`,
    }).catch(async (error) => {
      if (!mayHaveRun(error)) await open?.drop();
      throw error;
    });
    const kept = open && endMove(context, open, job, facts.after);
    if (job.ended) await kept;
    if (job.response?.ok === true) return;
    const why = job.response === undefined ? `job ${job.id} still runs` : job.response.error;
    throw new ToolError(
      job.response === undefined ? why : quoted(why, 300),
      "Look with list-inventory.",
    );
  },
};

function readState(state: KeptState | null) {
  const { item, count, in: place } = state ?? {};
  return { item: String(item), count: Number(count), in: String(place) };
}
