import {
  around,
  type BlocksChanged,
  BlocksChangedSchema,
  type Box,
  type Cell,
  FoundBlocksSchema,
  filledWith,
  sorted,
  type ToolArguments,
  toolArguments,
  unpackCells,
} from "@ccbridge/protocol/minecraft";
import type { ServerView } from "@ccbridge/registry";
import { z } from "zod";
import { actsOnce, readOnly } from "../../core/annotations.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import { inline, quoted } from "../../format/set-apart.js";
import { type ChangedCell, drawChange, drawLayers } from "./block-picture.js";
import { placeOf } from "./kept-blocks.js";
import { askServer, noteLines, readResult, requestServer, serverFor, target } from "./server.js";
import { keepBlocks, keepUnanswered } from "./undo-blocks.js";

// Positions are text, as in the game's commands: objects would double the size of these tools in the list, and of each
// call. The protocol's schema checks the rest.
const positionAndRest = /^(-?\d+)[ ,]+(-?\d+)[ ,]+(-?\d+)(?:[ ,]+([^ ,].*))?$/;

const { world, mode, dryRun } = toolArguments.fill_blocks.shape;
const sameWorld = world.meta({ description: "Default: minecraft:overworld.", obvious: true });
const box = {
  from: z.string().describe("A corner, such as `0 64 -3`."),
  to: z.string().meta({ description: "The opposite corner; both are in the box.", obvious: true }),
};
const dryRunText = "Only show what would change, with a picture.";

const output = z.object({
  server: z.string(),
  changed: z.int(),
  unchanged: z.int().optional(),
  failed: z.int().optional(),
  failures: z.array(z.record(z.string(), z.unknown())).optional(),
  dryRun: z.boolean().optional(),
  before: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("What was there: runs of x, y, z, length towards the east, and index of palette."),
  notes: z.array(z.string()).optional(),
});

function invalid(path: string, message: string): ToolError {
  return new ToolError(
    `INVALID_ARGS: ${path}: ${message}.`,
    "Nothing was done. Use several calls, or other arguments.",
  );
}

function checked<S extends z.ZodType>(schema: S, args: unknown): z.output<S> {
  const { data, error } = schema.safeParse(args);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw invalid(issue.path.join("."), issue.message);
  return data as z.output<S>;
}

function cellAt(path: string, text: string): { x: number; y: number; z: number; block: string } {
  const [, x, y, z, block = ""] = positionAndRest.exec(text) ?? [];
  if (z === undefined) throw invalid(path, `${quoted(text, 100)} has no position, such as 0 64 -3`);
  return { x: Number(x), y: Number(y), z: Number(z), block };
}

function corner(path: string, text: string): { x: number; y: number; z: number } {
  const { block, ...position } = cellAt(path, text);
  if (block !== "") throw invalid(path, `${quoted(text, 100)} is more than a position`);
  return position;
}

function corners(args: { readonly from: string; readonly to: string }) {
  return { from: corner("from", args.from), to: corner("to", args.to) };
}

export const setBlocks = defineTool({
  name: "set_blocks",
  title: "Set blocks",
  effect: "blocks changed",
  description:
    "Sets up to 4096 blocks on a Minecraft server; fill_blocks is for boxes. Off by default.",
  input: z.object({
    ...target,
    blocks: z
      .array(z.string())
      .describe("Position and block: `0 64 -3 minecraft:oak_log[axis=x]`."),
    world: world.describe("Default: minecraft:overworld."),
    dryRun: dryRun.meta({ description: dryRunText, obvious: true }),
  }),
  output,
  annotations: actsOnce,
  async handler(args, context) {
    const { server, ...given } = args;
    const cells = args.blocks.map((text, index) => cellAt(`blocks.${index}`, text));
    const change = checked(toolArguments.set_blocks, { ...given, blocks: cells });
    const wanted = new Map(change.blocks.map((cell) => [placeOf(cell), cell.block]));
    return changeBlocks(context, server, {
      tool: "set_blocks",
      args: change,
      box: around(change.blocks),
      afterOf: (cell) => wanted.get(placeOf(cell)),
    });
  },
});

export const fillBlocks = defineTool({
  name: "fill_blocks",
  title: "Fill a box with blocks",
  effect: "blocks changed",
  description: "Fills a box of up to 32768 blocks on a server. Off by default.",
  input: z.object({
    ...target,
    ...box,
    block: z
      .string()
      .meta({ description: "As in set_blocks, such as minecraft:stone.", obvious: true }),
    mode: mode.describe("keep: only air; hollow: air inside; destroy: drops the old blocks."),
    filter: z.string().optional().describe("Replace only blocks with this id."),
    world: sameWorld,
    dryRun: dryRun.describe(dryRunText),
  }),
  output,
  annotations: actsOnce,
  async handler(args, context) {
    const { server, ...given } = args;
    const fill = checked(toolArguments.fill_blocks, { ...given, ...corners(args) });
    return changeBlocks(context, server, {
      tool: "fill_blocks",
      args: fill,
      box: sorted(fill),
      afterOf: (cell) => filledWith(fill as ToolArguments<"fill_blocks">, cell),
    });
  },
});

interface Wanted {
  readonly tool: "set_blocks" | "fill_blocks";
  readonly args: { readonly world?: string | undefined; readonly dryRun: boolean };
  readonly box: Box;
  /** What a cell becomes; undefined where it stays. */
  afterOf(cell: Cell): string | undefined;
}

async function changeBlocks(
  context: ToolContext,
  name: string | undefined,
  { tool, args, box, afterOf }: Wanted,
): Promise<ToolOutcome> {
  const server = await serverFor(context, tool, name);
  const { world = "minecraft:overworld", dryRun } = args;
  const kept = { server, subject: `${world} ${placeOf(box.from)} to ${placeOf(box.to)}` };
  let result: unknown;
  try {
    result = await requestServer(context, server, tool, args);
  } catch (error) {
    if (!dryRun) await keepUnanswered(context, kept, error);
    throw error;
  }
  const change = readResult(BlocksChangedSchema, { server, result });
  const cells = (change.before === undefined ? [] : unpackCells(change.before)).flatMap((cell) => {
    const after = afterOf(cell);
    return after === undefined ? [] : [{ ...cell, after }];
  });
  if (!dryRun) await keepBlocks(context, kept, change, cells);
  return report(server, change, cells);
}

async function report(
  { name, provider }: ServerView,
  change: BlocksChanged,
  cells: readonly ChangedCell[],
): Promise<ToolOutcome> {
  const isDry = change.dryRun === true;
  const image = isDry ? await drawChange(cells) : undefined;
  return {
    text: [
      summary(change, name),
      ...kindsOf(cells),
      ...failureLines(change),
      ...(isDry ? drawLayers(cells) : []),
      ...noteLines(change.notes),
    ].join("\n"),
    isError: (change.failed ?? 0) > 0,
    ...(image === undefined ? {} : { image }),
    structured: () => ({ server: provider.serverName, ...change }),
  };
}

function summary({ changed, unchanged, failed = 0, dryRun }: BlocksChanged, name: string): string {
  const did = dryRun === true ? "Nothing was done. It would change" : "Changed";
  const same = unchanged === undefined ? "" : `; ${unchanged} are the same already`;
  const bad = failed === 0 ? "" : `; ${failed} cannot be changed`;
  return `${did} ${changed} ${changed === 1 ? "block" : "blocks"} on ${name}${same}${bad}.`;
}

const MAX_KINDS = 12;

function kindsOf(cells: readonly ChangedCell[]): string[] {
  const counts = new Map<string, number>();
  for (const { block, after } of cells) {
    const change = `${inline(block)} to ${inline(after)}`;
    counts.set(change, (counts.get(change) ?? 0) + 1);
  }
  const all = [...counts].sort(([, a], [, b]) => b - a);
  const lines = all.slice(0, MAX_KINDS).map(([change, count]) => `- ${count} ${change}`);
  return all.length > MAX_KINDS ? [...lines, `- and ${all.length - MAX_KINDS} other kinds`] : lines;
}

function failureLines({ failures = [] }: BlocksChanged): string[] {
  return failures
    .slice(0, 10)
    .map(({ x, y, z, error }) => `- ${x}, ${y}, ${z}: ${quoted(error, 300)}`);
}

const { limit } = toolArguments.find_blocks.shape;
const MAX_PLACES = 200;

export const findBlocks = defineTool({
  name: "find_blocks",
  title: "Find blocks",
  description: "Finds the blocks with an id in a box on a server; arguments as in fill_blocks.",
  input: z.object({
    ...target,
    ...box,
    block: z
      .string()
      .meta({ description: "Its id, such as minecraft:diamond_ore.", obvious: true }),
    world: sameWorld,
    limit: limit.meta({ description: "How many positions to show.", obvious: true }),
  }),
  output: z.object({
    server: z.string(),
    found: z.int(),
    places: z.array(z.object({ x: z.int(), y: z.int(), z: z.int() })),
    unloaded: z.int(),
  }),
  annotations: readOnly,
  async handler(args, context) {
    const { server, ...given } = args;
    const search = checked(toolArguments.find_blocks, { ...given, ...corners(args) });
    const answer = await askServer(context, "find_blocks", { server, ...search });
    const { found, places, unloaded = 0 } = readResult(FoundBlocksSchema, answer);
    const { name, provider } = answer.server;
    const shown = places.slice(0, MAX_PLACES).map(({ x, y, z }) => `${x}, ${y}, ${z}`);
    const more = found > shown.length ? [`and ${found - shown.length} more`] : [];
    const missing = unloaded === 0 ? [] : [`${unloaded} blocks of the box are not loaded.`];
    return {
      text: [
        `${found} ${inline(args.block)} on ${name}${found === 0 ? "." : ":"}`,
        ...(found === 0 ? [] : [[...shown, ...more].join("; ")]),
        ...missing,
      ].join("\n"),
      structured: () => ({ server: provider.serverName, found, places, unloaded }),
    };
  },
});
