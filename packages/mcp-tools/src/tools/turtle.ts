import type { MethodResult } from "@ccbridge/protocol";
import { type Link, printable } from "@ccbridge/registry";
import { z } from "zod";
import { ask } from "../ask.js";
import { defineTool } from "../define-tool.js";
import { cutEnd } from "../format/text.js";
import { ToolError } from "../run-tool.js";
import { FacingSchema, placeFacts, placeShape, placeText } from "../turtle/place.js";
import { target } from "./target.js";

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
    "Shows how a turtle (a robot) stands: its fuel (each move takes 1), its 16 inventory slots, the " +
    "selected slot (which place, drop and refuel use), its tools, and where it is and looks, if somebody " +
    "has told it with set-position. Moves by turtle-run and exec-lua are reckoned in and kept over " +
    "reboots; when others may have moved it, certain is false.",
  input: z.object(target),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable(),
    fuel,
    fuelLimit: fuel.nullable(),
    selected: z.int().describe("The selected slot."),
    slots: z.array(SlotSchema).describe("The slots that hold something."),
    equipped: z
      .object({ left: z.string().nullable(), right: z.string().nullable() })
      .nullable()
      .describe("Its tools; null where the game does not tell (before CC:Tweaked 1.116)."),
    running: z.boolean().describe("Whether a turtle-run is under way."),
    ...placeShape,
  }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world }, context) {
    requireTurtle(context.registry.computer({ computerId, world }));
    const { link, result } = await ask(context, { computerId, world }, "turtle-status", {});
    const slots = result.slots.map(slotFacts);
    const { left, right } = result.equipped ?? {};
    const name = (text: string | undefined) =>
      text === undefined ? null : cutEnd(printable(text), 120);
    const equipped =
      result.equipped === undefined ? null : { left: name(left), right: name(right) };
    const limit = result.fuelLimit ?? null;
    const lines = [
      `${link.name} is ${placeText(result)}.`,
      result.running ? "A turtle-run is under way." : undefined,
      `Fuel: ${result.fuel}${typeof result.fuel === "number" && limit !== null ? ` of ${limit}` : ""}`,
      equipped === null
        ? undefined
        : `Equipped: left ${equipped.left ?? "nothing"}, right ${equipped.right ?? "nothing"}`,
      `Selected slot: ${result.selected}`,
      slots.length === 0 ? "All 16 slots are empty." : `Slots: ${slots.map(slotText).join(", ")}`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: {
        computerId: link.identity.computerId,
        label: link.identity.label,
        fuel: result.fuel,
        fuelLimit: limit,
        selected: result.selected,
        slots,
        equipped,
        running: result.running,
        ...placeFacts(result),
      },
    };
  },
});

/** Says at once that a computer cannot move, instead of blaming its agent. */
export function requireTurtle(link: Link): void {
  if (link.identity.kind === "turtle") return;
  throw new ToolError(
    `${link.name} is not a turtle but a ${link.identity.kind === "command" ? "command computer" : link.identity.kind}: it cannot move.`,
    "Call list-computers to find a turtle.",
  );
}

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

export const setPosition = defineTool({
  name: "set-position",
  title: "Tell a turtle where it is",
  description:
    "Tells a turtle where it is and where it looks, which it cannot see by itself. Take the numbers from " +
    "the player (F3 shows the coordinates of a block that is looked at), or set gps to true if the world " +
    "has a gps and the turtle a wireless modem; gps knows no facing, so give that as well. From then on " +
    "its moves are reckoned in. Nothing in the world changes.",
  input: z.object({
    ...target,
    x: z.int().optional().describe("Grows to the east. Needed without gps."),
    y: z.int().optional().describe("The height. Needed without gps."),
    z: z.int().optional().describe("Grows to the south. Needed without gps."),
    facing: FacingSchema.optional().describe(
      "Where it looks. Without it a facing that is certain stays, otherwise it is not known.",
    ),
    gps: z.boolean().optional().describe("Ask gps for the position instead of giving it."),
  }),
  output: z.object({ computerId: z.int(), label: z.string().nullable(), ...placeShape }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world, x, y, z: south, facing, gps }, context) {
    requireTurtle(context.registry.computer({ computerId, world }));
    const given = [x, y, south].filter((value) => value !== undefined).length;
    if (gps === true ? given > 0 : given < 3) {
      throw new ToolError(
        gps === true
          ? "With gps the position is not given by x, y and z."
          : "x, y and z are needed, all three.",
        "Nothing was set. Give x, y and z, or gps alone; facing with either.",
      );
    }
    const { link, result } = await ask(context, { computerId, world }, "set-position", {
      ...(gps === true ? { gps } : { x, y, z: south }),
      ...(facing === undefined ? {} : { facing }),
    });
    const hint =
      result.facing === undefined
        ? "\nIts facing is not known, so forward and back will lose the position: give facing as well."
        : "";
    return {
      text: `${link.name} is ${placeText(result)}.${hint}`,
      structured: {
        computerId: link.identity.computerId,
        label: link.identity.label,
        ...placeFacts(result),
      },
    };
  },
});
