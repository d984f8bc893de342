import { z } from "zod";
import {
  MAX_BATCH,
  MAX_CELLS,
  MAX_COMMAND_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_RADIUS,
  MAX_SET_BLOCKS,
} from "./constants.js";
import { hasControlCharacter } from "./patterns.js";

const dimensionNames: Record<string, string> = {
  overworld: "minecraft:overworld",
  world: "minecraft:overworld",
  nether: "minecraft:the_nether",
  the_nether: "minecraft:the_nether",
  world_nether: "minecraft:the_nether",
  end: "minecraft:the_end",
  the_end: "minecraft:the_end",
  world_the_end: "minecraft:the_end",
};

export function dimensionId(name: string): string {
  return Object.hasOwn(dimensionNames, name) ? (dimensionNames[name] ?? name) : name;
}

export const PlayerNameSchema = z
  .string()
  .regex(/^\.?\w{1,16}$/, "not a player's name: 1 to 16 letters, digits and _");

export const ItemIdSchema = z
  .string()
  .max(256)
  .regex(/^[a-z0-9_.-]+(:[a-z0-9_./-]+)?$/, "not an item's id, such as minecraft:diamond");

export const DimensionSchema = z
  .string()
  .max(256)
  .transform(dimensionId)
  .refine((id) => /^[a-z0-9_.-]+(:[a-z0-9_./-]+)?$/.test(id), {
    message: "not a dimension's id, such as minecraft:overworld",
  });

const sideways = z.number().min(-30_000_000).max(30_000_000);
const upwards = z.number().min(-20_000_000).max(20_000_000);

const place = { x: sideways, y: upwards, z: sideways };

const command = z.string().min(1).max(MAX_COMMAND_LENGTH);

const message = z
  .string()
  .min(1)
  .max(MAX_MESSAGE_LENGTH)
  .refine((text) => !hasControlCharacter(text.replaceAll("\n", "")), {
    message: "contains a control character; only line breaks are allowed",
  });

const documented = {
  execute_command: z.object({ command }),
  send_message: z.object({
    message,
    /** A player; without it, or with `@a`, all players. */
    target: z
      .string()
      .regex(/^(?:@a|\.?\w{1,16})$/, "not a player's name: 1 to 16 letters, digits and _; or @a")
      .optional(),
  }),
  teleport_player: z.object({
    player: PlayerNameSchema,
    ...place,
    world: DimensionSchema.optional(),
  }),
  give_item: z.object({
    player: PlayerNameSchema,
    item: ItemIdSchema,
    quantity: z.number().int().min(1).max(6_400),
  }),
  get_online_players: z.object({}),
  get_player_info: z.object({ player: PlayerNameSchema }),
  get_server_info: z.object({}),
  get_world_info: z.object({
    ...place,
    radius: z.number().min(0).max(MAX_RADIUS),
    world: DimensionSchema.optional(),
  }),
} as const;

/** A block's id, with its state in brackets; data in braces is refused. */
const BlockSchema = z
  .string()
  .max(256)
  .regex(
    /^[a-z0-9_.-]+(:[a-z0-9_./-]+)?(\[[a-z0-9_=,]*\])?$/,
    "not a block's id, such as minecraft:stone or minecraft:oak_log[axis=x]",
  );

const BlockIdSchema = z
  .string()
  .max(256)
  .regex(/^[a-z0-9_.-]+(:[a-z0-9_./-]+)?$/, "not a block's id, such as minecraft:stone");

const sidewaysBlock = z.int().min(-30_000_000).max(30_000_000);
const corner = z.object({
  x: sidewaysBlock,
  y: z.int().min(-20_000_000).max(20_000_000),
  z: sidewaysBlock,
});
const where = { world: DimensionSchema.optional() };

function box<S extends z.ZodRawShape>(shape: S) {
  return z.object({ from: corner, to: corner, ...where, ...shape }).refine(
    (given) => {
      const { from, to } = given as { from: z.infer<typeof corner>; to: z.infer<typeof corner> };
      const side = (axis: "x" | "y" | "z") => Math.abs(from[axis] - to[axis]) + 1;
      return side("x") * side("y") * side("z") <= MAX_CELLS;
    },
    { path: ["to"], message: `the box has more than ${MAX_CELLS} blocks` },
  );
}

/** What each tool takes. Those that the documents do not have are used only on servers that name them. */
export const toolArguments = {
  ...documented,
  execute_commands: z.object({
    commands: z.array(command).min(1).max(MAX_BATCH),
    stopOnFailure: z.boolean().default(true),
  }),
  set_blocks: z.object({
    blocks: z
      .array(z.object({ ...corner.shape, block: BlockSchema }))
      .min(1)
      .max(MAX_SET_BLOCKS),
    ...where,
    dryRun: z.boolean().default(false),
  }),
  fill_blocks: box({
    block: BlockSchema,
    mode: z.enum(["replace", "keep", "hollow", "outline", "destroy"]).default("replace"),
    /** Only blocks of this kind are replaced. */
    filter: BlockIdSchema.optional(),
    dryRun: z.boolean().default(false),
  }).refine(({ mode, filter }) => filter === undefined || mode === "replace", {
    path: ["filter"],
    message: "goes with the mode replace only",
  }),
  find_blocks: box({
    block: BlockIdSchema,
    limit: z.int().min(1).max(1_000).default(100),
  }),
} as const;

export type DocumentedTool = keyof typeof documented;
export type ToolName = keyof typeof toolArguments;
export type ToolArguments<T extends ToolName = ToolName> = z.infer<(typeof toolArguments)[T]>;

/** The eight tools, in the order of the documents: what a server that does not say can do. */
export const documentedTools = Object.keys(documented) as DocumentedTool[];

export const toolNames = Object.keys(toolArguments) as ToolName[];

export const commandTools: readonly ToolName[] = ["execute_command", "execute_commands"];

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolArguments, name);
}

/** Queries are read-only; commands change something. The wire distinguishes them. */
export function isQuery(tool: ToolName): boolean {
  return tool.startsWith("get_") || tool === "find_blocks";
}
