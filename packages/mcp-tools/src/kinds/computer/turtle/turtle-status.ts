import type { MethodResult } from "@ccbridge/protocol";
import type { ComputerView } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { defineTool, type ToolContext } from "../../../core/define.js";
import { explain } from "../../../core/errors.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { ANSWER_LENGTH, capital, cutEnd } from "../../../format/text.js";
import { askComputer } from "../ask.js";
import { computerFacts, computerShape } from "../computer.js";
import { findSeveral, targets } from "../several.js";
import { placeFacts, placeShape, placeText } from "./place.js";
import { requireTurtle } from "./require-turtle.js";

const fuel = z.union([z.number(), z.literal("unlimited")]);

const SlotSchema = z.object({
  slot: z.int(),
  item: z.string(),
  count: z.number(),
  displayName: z.string().optional(),
  maxCount: z.number().optional().describe("How many the slot can hold."),
  durability: z.number().optional().describe("Uses left, for tools."),
  enchantments: z.array(z.string()).optional(),
});

type Slot = z.infer<typeof SlotSchema>;

const StatusSchema = z.object({
  ...computerShape,
  fuel,
  fuelLimit: fuel.nullable(),
  selected: z.int().describe("The selected slot."),
  slots: z.array(SlotSchema).describe("The slots that hold something."),
  equipped: z
    .object({ left: z.string().nullable(), right: z.string().nullable() })
    .nullable()
    .describe("Its tools; null if the game cannot tell (before CC:Tweaked 1.116)."),
  attached: z
    .object({ left: z.string().nullable(), right: z.string().nullable() })
    .optional()
    .describe("If the game cannot tell its tools: those that are peripherals."),
  running: z.boolean().describe("Whether a turtle-run is in progress."),
  ...placeShape,
});

type Status = z.infer<typeof StatusSchema>;

export const turtleStatus = defineTool({
  name: "turtle-status",
  title: "Look at a turtle",
  description:
    "Shows a turtle's fuel (each move takes 1), its 16 slots, its tools, and its position and facing " +
    "if known.",
  input: z.object(targets),
  output: StatusSchema.partial().extend({
    turtles: z.array(StatusSchema).optional().describe("For several turtles: the status of each."),
  }),
  annotations: readOnly,
  async handler({ computerId }, context) {
    const found = await findSeveral(context.providers, computerId);
    if (!("several" in found)) {
      requireTurtle(found);
      const { text, facts } = await statusOf(context, found);
      return { text, structured: () => facts };
    }
    const { several, isGroup } = found;
    const turtles = isGroup
      ? several.filter(({ identity }) => identity.computerKind === "turtle")
      : several;
    for (const computer of turtles) requireTurtle(computer);
    const reports = await Promise.all(
      turtles.map((turtle) =>
        statusOf(context, turtle).catch((error: unknown) => {
          const { message } = explain(error, context.settings);
          return {
            text: `${capital(turtle.name)} could not be asked: ${message}`,
            facts: undefined,
          };
        }),
      ),
    );
    const share = Math.floor(ANSWER_LENGTH / Math.max(1, reports.length));
    return {
      text:
        reports.length === 0
          ? "None of these is a turtle."
          : reports.map(({ text }) => cutEnd(text, share)).join("\n\n"),
      structured: () => ({ turtles: reports.flatMap(({ facts }) => facts ?? []) }),
    };
  },
});

const short = (name: string) => cutEnd(name, 120);
const tool = (name: string | null, otherwise: string) => (name === null ? otherwise : inline(name));

async function statusOf(
  context: ToolContext,
  computer: ComputerView,
): Promise<{ text: string; facts: Status }> {
  const result = await askComputer(context, computer, "turtle-status", {});
  const slots = result.slots.map(slotFacts);
  const named = (sides: { left?: string | undefined; right?: string | undefined } = {}) => ({
    left: sides.left === undefined ? null : short(sides.left),
    right: sides.right === undefined ? null : short(sides.right),
  });
  const equipped = result.equipped === undefined ? null : named(result.equipped);
  const attached = named(result.attached);
  const limit = result.fuelLimit ?? null;
  const lines = [
    `${capital(computer.name)} is ${placeText(result)}.`,
    result.running ? "A turtle-run is in progress." : undefined,
    `Fuel: ${result.fuel}${typeof result.fuel === "number" && limit !== null ? ` of ${limit}` : ""}`,
    equipped === null
      ? `Tools: left ${tool(attached.left, "unknown")}, right ${tool(attached.right, "unknown")} (this version of CC:Tweaked does not report pickaxes)`
      : `Tools: left ${tool(equipped.left, "none")}, right ${tool(equipped.right, "none")}`,
    `Selected slot: ${result.selected}`,
    slots.length === 0 ? "All 16 slots are empty." : `Slots: ${slots.map(slotText).join(", ")}`,
  ];
  return {
    text: lines.filter((line) => line !== undefined).join("\n"),
    facts: {
      ...computerFacts(computer),
      fuel: result.fuel,
      fuelLimit: limit,
      selected: result.selected,
      slots,
      equipped,
      ...(equipped === null ? { attached } : {}),
      running: result.running,
      ...placeFacts(result),
    },
  };
}

function slotFacts(slot: MethodResult<"turtle-status">["slots"][number]): Slot {
  const { displayName, maxCount, damage, maxDamage, enchantments } = slot;
  return {
    slot: slot.slot,
    item: short(slot.name),
    count: slot.count,
    ...(displayName === undefined ? {} : { displayName: short(displayName) }),
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(maxDamage === undefined ? {} : { durability: maxDamage - (damage ?? 0) }),
    ...(enchantments === undefined ? {} : { enchantments: enchantments.slice(0, 10).map(short) }),
  };
}

function slotText(slot: Slot): string {
  const { displayName, maxCount, durability, enchantments } = slot;
  const details = [
    displayName === undefined ? undefined : quoted(displayName),
    maxCount === undefined ? undefined : `of ${maxCount}`,
    durability === undefined ? undefined : `${durability} uses left`,
    enchantments?.map((name) => inline(name)).join(" and "),
  ].filter((part) => part !== undefined);
  const more = details.length === 0 ? "" : ` (${details.join(", ")})`;
  return `[${slot.slot}] ${slot.count} ${inline(slot.item)}${more}`;
}
