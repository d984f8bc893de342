import { z } from "zod";
import { cutText, MAX_RETURNS, name, number } from "../link/bounds.js";
import { LuaValueSchema, luaArray } from "../link/lua.js";
import { ExecLuaResultSchema } from "./lua.js";

/** `list-peripherals` asks what is attached to a computer, at its sides and on wired networks. */
const ListPeripheralsParamsSchema = z.object({});

const PeripheralSchema = z.object({
  /** A side, or the name on a wired network. */
  name,
  /** The main type first. */
  types: luaArray(name, 64),
  methods: luaArray(name, 1_024),
  /** For a peripheral on a wired network: the side of the modem that reaches it. */
  via: name.optional(),
});

export type Peripheral = z.infer<typeof PeripheralSchema>;

const ListPeripheralsResultSchema = z.object({ peripherals: luaArray(PeripheralSchema, 4_096) });

/** `call-peripheral` makes calls side by side; each has its own outcome. */
const CallPeripheralParamsSchema = z.object({
  calls: z.array(
    z.object({
      name: z.string(),
      method: z.string(),
      /** Null stands for nil. */
      args: z.array(z.unknown()),
      /** How many arguments there are: null vanishes on the way. */
      count: z.int(),
    }),
  ),
});

const CallPeripheralResultSchema = z.object({
  results: luaArray(
    z.object({
      ok: z.boolean(),
      returns: luaArray(LuaValueSchema, MAX_RETURNS, "cut").default([]),
      error: cutText(16_384).optional(),
    }),
    1_024,
  ),
});

/** `list-inventory` asks what is in the chests and other inventories in reach. */
const ListInventoryParamsSchema = z.object({
  /** Only these; all when absent. */
  names: z.array(z.string()).optional(),
});

const InventorySchema = z.object({
  name,
  types: luaArray(name, 64),
  size: number.optional(),
  /** The slots that hold something. */
  slots: luaArray(
    z.object({
      slot: z.int(),
      name,
      count: number,
      /** Tells apart items of one name, such as two enchanted books. */
      nbt: name.optional(),
    }),
    16_384,
  ).default([]),
  error: cutText(16_384).optional(),
});

export type Inventory = z.infer<typeof InventorySchema>;

const ListInventoryResultSchema = z.object({
  inventories: luaArray(InventorySchema, 4_096),
  /** True when there was more than fits in one answer. */
  truncated: z.boolean().optional(),
});

/** `move-items` moves items between inventories, as a job; it answers as exec-lua does, with the number moved. */
const MoveItemsParamsSchema = z.object({
  /** A name in which `*` stands for anything; without a mod's name any will do. */
  item: z.string(),
  to: z.string(),
  /** All others in reach when absent. */
  from: z.union([z.string(), z.array(z.string())]).optional(),
  /** All there are when absent. */
  count: z.int().optional(),
});

/** `redstone` sets one side if asked to, and reads all of them. */
const RedstoneParamsSchema = z.object({
  side: z.string().optional(),
  output: z.boolean().optional(),
  /** 0 to 15. */
  strength: z.int().optional(),
  /** One bit for each of the sixteen colours. */
  bundled: z.int().optional(),
  /** Set it only for this long, at most 10 s, and then back. */
  pulseMs: z.int().optional(),
});

const RedstoneResultSchema = z.object({
  sides: luaArray(
    z.object({
      side: name,
      input: number,
      output: number,
      bundledInput: number,
      bundledOutput: number,
    }),
    64,
  ),
});

export const peripheralsMethods = {
  "list-peripherals": { params: ListPeripheralsParamsSchema, result: ListPeripheralsResultSchema },
  "call-peripheral": { params: CallPeripheralParamsSchema, result: CallPeripheralResultSchema },
  "list-inventory": { params: ListInventoryParamsSchema, result: ListInventoryResultSchema },
  "move-items": { params: MoveItemsParamsSchema, result: ExecLuaResultSchema },
  redstone: { params: RedstoneParamsSchema, result: RedstoneResultSchema },
} as const;
