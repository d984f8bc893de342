import {
  type BlockSnapshot,
  type BlocksChanged,
  type Box,
  type Cell,
  packCells,
  volumeOf,
} from "@ccbridge/protocol/minecraft";
import { isServer, type ProviderView, type ServerView } from "@ccbridge/registry";
import type { ToolContext } from "../../core/define.js";
import { mayHaveRun, ToolError } from "../../core/errors.js";
import type { Undoer } from "../../core/undo.js";
import type { ChangedCell } from "./block-picture.js";
import {
  BATCH,
  fromContent,
  inOrder,
  isSame,
  linesOf,
  lookAt,
  stateOf,
  stateText,
  toContent,
} from "./kept-blocks.js";
import { policyOf, requestServer, requireAbility } from "./server.js";

export const BLOCKS = "blocks";

/** A smaller box is put back block by block: that is fewer requests. */
const WORTH_A_FILL = 64;

export interface BlockChange {
  readonly server: ServerView;
  /** Where, as `minecraft:overworld 0 64 0 to 3 64 0`. */
  readonly subject: string;
}

/** Keeps what a change replaced, as the server says. */
export async function keepBlocks(
  context: ToolContext,
  { server, subject }: BlockChange,
  { changed, failed = 0, before }: BlocksChanged,
  cells: readonly ChangedCell[],
): Promise<void> {
  if (changed === 0 && cells.length === 0) return;
  if (before === undefined || cells.length === 0) {
    return keepUnknown(
      context,
      { server, subject },
      "the server did not say what was there before",
    );
  }
  const { world, exact } = before;
  const were = packCells(
    world,
    inOrder(cells.map(({ x, y, z, block }) => ({ x, y, z, block }))),
    exact,
  );
  const wanted = inOrder(cells.map(({ x, y, z, after }) => ({ x, y, z, block: full(after) })));
  const isUncertain = failed > 0 || wanted.some(({ block }) => block.includes("["));
  let after: BlockSnapshot | undefined = packCells(world, wanted, exact);
  if (isUncertain) {
    // What a state became, and which blocks did not change after all, only the server knows.
    after = await lookAt(context, server, after).then(
      ({ snapshot }) => snapshot,
      () => undefined,
    );
  }
  const change = await context.changes?.begin(
    {
      ...{ key: server.key, provider: server.name, what: BLOCKS, subject },
      before: stateOf(were, Math.max(0, changed - cells.length)),
    },
    toContent({ before: were, after: after ?? packCells(world, wanted, exact) }),
  );
  await change?.end(after === undefined ? null : stateOf(after));
}

/** Lists a change that cannot be undone. */
async function keepUnknown(
  { changes }: ToolContext,
  { server, subject }: BlockChange,
  cannot: string,
): Promise<void> {
  const facts = { key: server.key, provider: server.name, what: BLOCKS, subject, before: null };
  await (await changes?.begin({ ...facts, cannot }))?.end(null);
}

/** Keeps that a change may have been made although no answer came. */
export async function keepUnanswered(
  context: ToolContext,
  change: BlockChange,
  error: unknown,
): Promise<void> {
  const isLate = error instanceof ToolError && error.failure?.code === "TIMEOUT";
  if (mayHaveRun(error) || isLate) await keepUnknown(context, change, "the server did not answer");
}

function full(block: string): string {
  return block.includes(":") ? block : `minecraft:${block}`;
}

function serverOf(view: ProviderView): ServerView {
  if (isServer(view.provider)) return view as ServerView;
  throw new ToolError(`${view.name} is not a Minecraft server`, "Look with list-servers.");
}

/** Each change by itself, latest first, because boxes overlap. */
export const undoBlocks: Undoer = {
  isAlone: true,
  canForce: true,
  async read(context, provider, { content }) {
    const bytes = content === null ? undefined : await context.changes?.content(content);
    const kept = fromContent(bytes);
    const server = serverOf(provider);
    const { state, snapshot } = await lookAt(context, server, kept.after);
    return { state, content: toContent({ before: snapshot, after: kept.before }) };
  },
  isSame,
  stateText,
  textOf: (content) => linesOf(fromContent(content)),
  async restore(context, { provider, change, present, target }) {
    const server = serverOf(provider);
    const { before: wanted } = fromContent(target.content);
    requireBlocks(context, server);
    const { key, name } = server;
    const { subject } = change;
    const open = await context.changes?.begin(
      {
        ...{ key, provider: name, what: BLOCKS, subject },
        ...{ before: present.state, after: target.state },
      },
      present.content,
    );
    let isBegun = false;
    try {
      for (const { method, args } of requestsFor(wanted)) {
        await requestServer(context, server, method, args);
        isBegun = true;
      }
    } catch (error) {
      if (!isBegun && error instanceof ToolError) await open?.drop();
      throw error;
    }
    const { state } = await lookAt(context, server, wanted);
    if (!isSame(state, target.state)) {
      throw new ToolError(
        `not all blocks stayed as they were put: there are ${stateText(state)} now`,
        "Something else changes them, or they need what is next to them.",
      );
    }
    await open?.end(target.state);
  },
};

function requireBlocks(context: ToolContext, server: ServerView): void {
  const { tools, hint } = policyOf(context);
  if (!tools.has("set_blocks") && !tools.has("fill_blocks")) {
    throw new ToolError("PERMISSION_DENIED: no tool may change blocks here", hint);
  }
  requireAbility(server, "set_blocks");
}

/** Large boxes first: what hangs on a block needs that block. */
function* requestsFor(wanted: BlockSnapshot) {
  const { world } = wanted;
  const single: Cell[] = [];
  for (const { block, ...box } of boxesOf(wanted)) {
    if (volumeOf(box) >= WORTH_A_FILL) {
      yield { method: "fill_blocks" as const, args: { ...box, world, block } };
      continue;
    }
    for (let y = box.from.y; y <= box.to.y; y++) {
      for (let z = box.from.z; z <= box.to.z; z++) {
        for (let x = box.from.x; x <= box.to.x; x++) single.push({ x, y, z, block });
      }
    }
  }
  const blocks = inOrder(single);
  for (let at = 0; at < blocks.length; at += BATCH) {
    yield { method: "set_blocks" as const, args: { world, blocks: blocks.slice(at, at + BATCH) } };
  }
}

type BlockBox = Box & { readonly block: string };

/** The same blocks as few boxes: rows towards the east, joined to floors and then upwards. */
function boxesOf({ palette, runs }: BlockSnapshot): readonly BlockBox[] {
  const rows: BlockBox[] = [];
  for (let at = 0; at + 4 < runs.length; at += 5) {
    const [x = 0, y = 0, z = 0, length = 0, number = -1] = runs.slice(at, at + 5);
    const block = palette[number];
    if (block !== undefined && length > 0) {
      rows.push({ from: { x, y, z }, to: { x: x + length - 1, y, z }, block });
    }
  }
  return joined(joined(rows, "z"), "y");
}

function joined(boxes: readonly BlockBox[], axis: "y" | "z"): BlockBox[] {
  const others = (["x", "y", "z"] as const).filter((each) => each !== axis);
  const groups = new Map<string, BlockBox[]>();
  for (const box of boxes) {
    const name = JSON.stringify([box.block, others.map((each) => [box.from[each], box.to[each]])]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [box]);
    else group.push(box);
  }
  return [...groups.values()].flatMap((group) => {
    const whole: BlockBox[] = [];
    for (const box of group.sort((a, b) => a.from[axis] - b.from[axis])) {
      const last = whole.at(-1);
      if (last !== undefined && last.to[axis] + 1 === box.from[axis]) {
        whole[whole.length - 1] = { ...last, to: { ...last.to, [axis]: box.to[axis] } };
      } else whole.push(box);
    }
    return whole;
  });
}
