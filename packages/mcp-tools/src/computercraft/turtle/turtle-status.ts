import type { MethodResult } from "@ccbridge/protocol";
import { findComputer, printable } from "@ccbridge/registry";
import { z } from "zod";
import { cutEnd } from "../../format/text.js";
import { readOnly } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { placeFacts, placeShape, placeText } from "./place.js";
import { requireTurtle } from "./require-turtle.js";

const fuel = z.union([z.number(), z.literal("unlimited")]);

const SlotSchema = z.object({
  slot: z.int(),
  item: z.string(),
  count: z.number(),
  displayName: z.string().optional(),
  maxCount: z.number().optional().describe("How many fit into the slot."),
  durability: z.number().optional().describe("Uses left, for tools."),
  enchantments: z.array(z.string()).optional(),
});

type Slot = z.infer<typeof SlotSchema>;

export const turtleStatus = defineTool({
  name: "turtle-status",
  title: "Look at a turtle",
  description:
    "Shows a turtle's fuel (each move takes 1), its 16 slots, its tools, and where it is and looks, " +
    "as far as that is known.",
  input: z.object(target),
  output: z.object({
    ...computerShape,
    fuel,
    fuelLimit: fuel.nullable(),
    selected: z.int().describe("The selected slot."),
    slots: z.array(SlotSchema).describe("The slots that hold something."),
    equipped: z
      .object({ left: z.string().nullable(), right: z.string().nullable() })
      .nullable()
      .describe("Its tools; null where the game does not tell (before CC:Tweaked 1.116)."),
    attached: z
      .object({ left: z.string().nullable(), right: z.string().nullable() })
      .optional()
      .describe("Where the game does not tell its tools: those that are peripherals."),
    running: z.boolean().describe("Whether a turtle-run is under way."),
    ...placeShape,
  }),
  annotations: readOnly,
  async handler({ computerId }, context) {
    requireTurtle(await findComputer(context.providers, computerId));
    const { computer, result } = await ask(context, computerId, "turtle-status", {});
    const slots = result.slots.map(slotFacts);
    const { left, right } = result.equipped ?? {};
    const name = (text: string | undefined) =>
      text === undefined ? null : cutEnd(printable(text), 120);
    const equipped =
      result.equipped === undefined ? null : { left: name(left), right: name(right) };
    const limit = result.fuelLimit ?? null;
    const seen = result.attached ?? {};
    const attached = { left: name(seen.left), right: name(seen.right) };
    const lines = [
      `${computer.name} is ${placeText(result)}.`,
      result.running ? "A turtle-run is under way." : undefined,
      `Fuel: ${result.fuel}${typeof result.fuel === "number" && limit !== null ? ` of ${limit}` : ""}`,
      equipped === null
        ? `Tools: left ${attached.left ?? "not known"}, right ${attached.right ?? "not known"} (CC:Tweaked before 1.116 does not tell of pickaxes and the like; a dig step fails without one)`
        : `Tools: left ${equipped.left ?? "none"}, right ${equipped.right ?? "none"}`,
      `Selected slot: ${result.selected}`,
      slots.length === 0 ? "All 16 slots are empty." : `Slots: ${slots.map(slotText).join(", ")}`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: {
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
  },
});

function slotFacts(slot: MethodResult<"turtle-status">["slots"][number]): Slot {
  const { displayName, maxCount, damage, maxDamage, enchantments } = slot;
  const name = (text: string) => cutEnd(printable(text), 120);
  return {
    slot: slot.slot,
    item: name(slot.name),
    count: slot.count,
    ...(displayName === undefined ? {} : { displayName: name(displayName) }),
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(maxDamage === undefined ? {} : { durability: maxDamage - (damage ?? 0) }),
    ...(enchantments === undefined
      ? {}
      : { enchantments: enchantments.slice(0, 10).map((each) => name(each)) }),
  };
}

function slotText(slot: Slot): string {
  const { displayName, maxCount, durability, enchantments } = slot;
  const details = [
    displayName === undefined ? undefined : `"${displayName}"`,
    maxCount === undefined ? undefined : `of ${maxCount}`,
    durability === undefined ? undefined : `${durability} uses left`,
    enchantments === undefined ? undefined : enchantments.join(" and "),
  ].filter((part) => part !== undefined);
  const more = details.length === 0 ? "" : ` (${details.join(", ")})`;
  return `[${slot.slot}] ${slot.count} ${slot.item}${more}`;
}
