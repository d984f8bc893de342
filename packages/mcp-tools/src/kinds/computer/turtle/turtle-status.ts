import type { MethodParams, MethodResult, TurtlePlace } from "@ccbridge/protocol";
import type { ComputerView } from "@ccbridge/registry";
import { z } from "zod";
import { changes, readOnly } from "../../../core/annotations.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { explain, ToolError } from "../../../core/errors.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { ANSWER_LENGTH, capital, cutEnd } from "../../../format/text.js";
import { computerFacts, computerShape } from "../computer.js";
import { type Found, findSeveral, targets } from "../several.js";
import { askComputer } from "../undo/ask.js";

/** Without this check the error would blame the agent's version. */
function requireTurtle(computer: ComputerView): void {
  if (computer.provider.computerKind === "turtle") return;
  throw new ToolError(
    `${computer.name} is not a turtle but a ${computer.provider.computerKind === "command" ? "command computer" : computer.provider.computerKind}: it cannot move.`,
    "Call list-computers to find a turtle.",
  );
}

export const FacingSchema = z.enum(["north", "east", "south", "west"]);

const placeShape = {
  position: z
    .object({ x: z.int(), y: z.int(), z: z.int() })
    .nullable()
    .describe("Where it is, or null if unknown (set-position)."),
  facing: FacingSchema.nullable().describe("Which way it faces: north is -z, east is +x."),
  certain: z
    .boolean()
    .describe("False when position and facing may be wrong: set them again with set-position."),
  note: z.string().optional().describe("Why it is not certain."),
};

function placeFacts({ position, facing, certain, note }: TurtlePlace) {
  return {
    position: position ?? null,
    facing: facing ?? null,
    certain,
    ...(note === undefined ? {} : { note: cutEnd(note, 300) }),
  };
}

export function placeText(place: TurtlePlace): string {
  const { position, facing, certain } = placeFacts(place);
  const why = place.note === undefined ? "" : `: ${quoted(place.note, 300)}`;
  if (position === null) {
    return `at an unknown position${why} (tell it with set-position)`;
  }
  const at = `at ${position.x} ${position.y} ${position.z}`;
  const looks = facing === null ? ", facing unknown" : `, facing ${facing}`;
  if (!certain) return `${at}${looks}, but NOT CERTAIN${why} (set it again with set-position)`;
  return `${at}${looks}${why}`;
}

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
    const turtles = turtlesOf(found);
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
      text: reports.map(({ text }) => cutEnd(text, share)).join("\n\n"),
      structured: () => ({ turtles: reports.flatMap(({ facts }) => facts ?? []) }),
    };
  },
});

/** Of a group, those that are turtles; anything that was named has to be one. */
export function turtlesOf(found: Found): readonly ComputerView[] {
  const several = "several" in found ? found.several : [found];
  const isGroup = "several" in found && found.isGroup;
  const turtles = isGroup
    ? several.filter(({ provider }) => provider.computerKind === "turtle")
    : several;
  for (const computer of turtles) requireTurtle(computer);
  if (turtles.length > 0) return turtles;
  throw new ToolError("None of these is a turtle.", "list-computers shows the turtles.");
}

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

const PositionSchema = z.object({ ...computerShape, ...placeShape });

export const setPosition = defineTool({
  name: "set-position",
  title: "Tell a turtle where it is",
  effect: "position set",
  description:
    "Tells a turtle its position and facing, which it cannot find out by itself: from the player's " +
    "F3 screen, or by gps. Its moves are tracked from then on.",
  input: z.object({
    ...targets,
    x: z.int().optional().meta({ description: "East is positive.", obvious: true }),
    y: z.int().optional().describe("Height. Give all three, or gps."),
    z: z.int().optional().meta({ description: "South is positive.", obvious: true }),
    facing: FacingSchema.optional().describe("Default: unchanged."),
    gps: z
      .boolean()
      .optional()
      .meta({ description: "Find the position with gps instead.", obvious: true }),
  }),
  output: PositionSchema.partial().extend({
    turtles: z.array(PositionSchema).optional().describe("For several turtles: each of them."),
  }),
  annotations: changes,
  async handler({ computerId, x, y, z: south, facing, gps }, context) {
    const found = await findSeveral(context.providers, computerId);
    const turtles = turtlesOf(found);
    const given = [x, y, south].filter((value) => value !== undefined).length;
    if (gps === true ? given > 0 : given < 3) {
      throw new ToolError(
        gps === true ? "With gps, x, y and z must be left out." : "x, y and z are all needed.",
        "Nothing was set. Give x, y and z, or gps alone; facing with either.",
      );
    }
    if (turtles.length > 1 && gps !== true) {
      throw new ToolError(
        `${turtles.length} turtles cannot be at the same place.`,
        "Nothing was set. Give gps for several turtles, or set one at a time.",
      );
    }
    const params = {
      ...(gps === true ? { gps } : { x, y, z: south }),
      ...(facing === undefined ? {} : { facing }),
    };
    if (!("several" in found)) return setOne(context, found, params);
    const all = await Promise.all(
      turtles.map((turtle) =>
        setOne(context, turtle, params).catch((error: unknown): ToolOutcome => {
          const { message } = explain(error, context.settings);
          return { text: `${capital(turtle.name)} was not set: ${message}`, isError: true };
        }),
      ),
    );
    return {
      text: all.map(({ text }) => text).join("\n"),
      structured: () => ({ turtles: all.flatMap(({ structured }) => structured?.() ?? []) }),
      ...(all.some(({ isError }) => isError === true) ? { isError: true } : {}),
    };
  },
});

async function setOne(
  context: ToolContext,
  computer: ComputerView,
  params: MethodParams<"set-position">,
): Promise<ToolOutcome> {
  const result = await askComputer(context, computer, "set-position", params);
  const hint =
    result.facing === undefined
      ? "\nIts facing is unknown, so forward and back will lose the position: give facing as well."
      : "";
  return {
    text: `${capital(computer.name)} is ${placeText(result)}.${hint}`,
    structured: () => ({ ...computerFacts(computer), ...placeFacts(result) }),
  };
}
