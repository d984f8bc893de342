import type { Inventory } from "@ccbridge/protocol";
import { findComputer, type JobFailure } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { offsetOf } from "../../../core/arguments.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { cutEnd, pageOf } from "../../../format/text.js";
import { jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { JobReportSchema } from "../jobs/report.js";
import { requireMethod } from "../request.js";
import { ask } from "../undo/ask.js";
import { keepMovedItems } from "../undo/items.js";

const TOTALS_BYTES = 2_500;
const INVENTORIES_BYTES = 5_500;
const NAME_LENGTH = 120;
const ERROR_LENGTH = 300;

const SlotSchema = z.object({
  slot: z.int().describe("The slot's number, counted from 1."),
  item: z.string(),
  count: z.number(),
  nbt: z.string().optional().describe("Distinguishes items that share a name but differ."),
});

const InventoryLineSchema = z.object({
  name: z.string().describe("Its name for call-peripheral."),
  type: z.string(),
  size: z.number().nullable().describe("How many slots it has."),
  used: z.int().describe("How many of them hold something."),
  slots: z.array(SlotSchema).describe("The slots that hold something (that matches)."),
  more: z.int().optional().describe("Slots left out; name this inventory alone to see them."),
  error: z.string().optional().describe("Why it could not be read."),
});

type InventoryLine = z.infer<typeof InventoryLineSchema>;

const TotalSchema = z.object({ item: z.string(), count: z.number(), stacks: z.int() });

export const listInventory = defineTool({
  name: "list-inventory",
  title: "List inventories",
  description:
    "Lists the contents of the chests and other inventories that a computer can reach, in total and " +
    "by slot. What a turtle carries is in turtle-status.",
  input: z.object({
    ...target,
    names: z
      .array(z.string().min(1))
      .max(200)
      .optional()
      .describe("Names of inventories. Default: all."),
    item: z
      .string()
      .min(1)
      .optional()
      .describe("Only items whose name contains this, such as iron_ingot."),
    offset: offsetOf("inventories"),
  }),
  output: z.object({
    ...computerShape,
    totals: z.array(TotalSchema).describe("The totals over all of them, largest first."),
    moreTotals: z.int().describe("Items left out of the totals; narrow them down with item."),
    total: z.int().describe("How many inventories there are."),
    inventories: z.array(InventoryLineSchema),
    next: z.int().optional().describe("Call again with this offset for the other inventories."),
    note: z.string().optional(),
  }),
  annotations: readOnly,
  async handler({ computerId, names, item, offset }, context) {
    const { computer, result } = await ask(context, computerId, "list-inventory", {
      ...(names === undefined ? {} : { names }),
    });
    const wanted = item?.toLowerCase();
    const all = result.inventories
      .map((inventory) => describe(inventory, wanted))
      .filter(({ slots, error }) => wanted === undefined || slots.length > 0 || error);
    if (names !== undefined && all.length > 0 && all.every(({ error }) => error !== undefined)) {
      throw new ToolError(
        `${computer.name}: ${all.map(({ error = "" }) => quoted(error, ERROR_LENGTH)).join("; ")}`,
        "Call list-inventory without names, or list-peripherals, to see what is attached.",
      );
    }
    const totals = totalsOf(all);
    const top = pageOf(totals, 0, TOTALS_BYTES).items;
    const { items: inventories, next } = pageOf(all.map(short), offset, INVENTORIES_BYTES);
    const note =
      result.truncated === true
        ? "There are more items than fit in one answer, so the totals are too low: name some inventories."
        : undefined;
    const lines = [
      headline(computer.name, all.length, item, result.inventories.length),
      top.length === 0 ? undefined : `Totals: ${top.map(totalText).join(", ")}`,
      totals.length > top.length
        ? `${totals.length - top.length} more items: narrow them down with item.`
        : undefined,
      ...inventories.map(inventoryText),
      next === undefined
        ? undefined
        : `${all.length - next} more inventories: call list-inventory with offset ${next}.`,
      note,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        totals: top,
        moreTotals: totals.length - top.length,
        total: all.length,
        inventories,
        ...(next === undefined ? {} : { next }),
        ...(note === undefined ? {} : { note }),
      }),
    };
  },
});

function describe(inventory: Inventory, wanted: string | undefined): InventoryLine {
  const { name, types, size, slots, error } = inventory;
  return {
    name: cutEnd(name, NAME_LENGTH),
    type: cutEnd(types[0] ?? "unknown", NAME_LENGTH),
    size: size ?? null,
    used: slots.length,
    slots: slots
      .filter((slot) => wanted === undefined || slot.name.toLowerCase().includes(wanted))
      .map(({ slot, name: item, count, nbt }) => ({
        slot,
        item: cutEnd(item, NAME_LENGTH),
        count,
        ...(nbt === undefined ? {} : { nbt: cutEnd(nbt, 40) }),
      })),
    ...(error === undefined ? {} : { error: cutEnd(error, ERROR_LENGTH) }),
  };
}

/** One inventory with hundreds of slots must not fill the page. */
function short(line: InventoryLine): InventoryLine {
  const { items } = pageOf(line.slots, 0, INVENTORIES_BYTES - 500);
  const more = line.slots.length - items.length;
  return more === 0 ? line : { ...line, slots: items, more };
}

function totalsOf(inventories: readonly InventoryLine[]): z.infer<typeof TotalSchema>[] {
  const totals = new Map<string, { item: string; count: number; stacks: number }>();
  for (const { item, count } of inventories.flatMap(({ slots }) => slots)) {
    const sum = totals.get(item) ?? { item, count: 0, stacks: 0 };
    sum.count += count;
    sum.stacks += 1;
    totals.set(item, sum);
  }
  return [...totals.values()].sort((a, b) => b.count - a.count || (a.item < b.item ? -1 : 1));
}

function headline(computer: string, found: number, item: string | undefined, all: number): string {
  if (all === 0) {
    return `${computer} cannot reach any inventory. A chest must touch it, or be connected through wired modems that were switched on with a right click.`;
  }
  const inventories = found === 1 ? "1 inventory" : `${found} inventories`;
  if (item === undefined) return `${inventories} at ${computer}.`;
  const what = quoted(item, NAME_LENGTH);
  return found === 0
    ? `None of the ${all} inventories at ${computer} contains ${what}.`
    : `${inventories} at ${computer} with ${what}.`;
}

const totalText = ({ item, count, stacks }: z.infer<typeof TotalSchema>) =>
  `${count} ${inline(item)} (${stacks} ${stacks === 1 ? "slot" : "slots"})`;

function inventoryText({ name, type, size, used, slots, more, error }: InventoryLine): string {
  if (error !== undefined) {
    return `${inline(name)}: could not be read: ${quoted(error, ERROR_LENGTH)}`;
  }
  const head = `${inline(name)} (${inline(type)}, ${used} of ${size ?? "?"} slots used)`;
  if (slots.length === 0) return `${head}: empty`;
  const list = slots.map(
    ({ slot, item, count, nbt }) =>
      `[${slot}] ${count} ${inline(item)}${nbt === undefined ? "" : ` nbt ${inline(nbt)}`}`,
  );
  if (more !== undefined) list.push(`and ${more} more slots: name it alone, with item`);
  return `${head}: ${list.join(", ")}`;
}

export const moveItems = defineTool({
  name: "move-items",
  title: "Move items",
  effect: "items moved",
  description:
    "Moves items between the inventories that a computer can reach, and says how many came from " +
    "where. It fails if fewer than `count` could be moved.",
  input: z.object({
    ...target,
    item: z.string().min(1).max(200).describe("Its name, such as iron_ingot; * matches anything."),
    to: z.string().min(1).max(200).describe("The inventory's name, as list-inventory shows it."),
    from: z
      .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(200)])
      .optional()
      .describe("One or several inventories. Default: all others."),
    count: z.int().min(1).max(1_000_000).optional().describe("Default: all."),
  }),
  output: JobReportSchema,
  async handler({ computerId, item, to, from, count }, context) {
    const computer = await findComputer(context.providers, computerId);
    requireMethod(context, computer, "move-items");
    const params = {
      item,
      to,
      ...(from === undefined ? {} : { from }),
      ...(count === undefined ? {} : { count }),
    };
    const reading = await runJob(context, computer.key, {
      method: "move-items",
      params,
      summary: cutEnd(`move-items: ${count ?? "all"} ${item} to ${to}`, 80),
      onFailure: stopped,
    });
    const kept = keepMovedItems(context, { computer, to, job: reading.job });
    if (reading.job.ended) await kept;
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  },
});

const stopped: JobFailure = {
  code: "not-moved",
  hint: "Call list-inventory to see what is where, and where there is space.",
};
