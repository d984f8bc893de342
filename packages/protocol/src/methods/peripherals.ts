import { z } from "zod";
import { cutText, MAX_RETURNS, name, number } from "../link/bounds.js";
import { LuaValueSchema, luaArray } from "../link/lua.js";
import { ExecLuaResultSchema } from "./lua.js";

const ListPeripheralsParamsSchema = z.object({});

const PeripheralSchema = z.object({
  name,
  types: luaArray(name, 64),
  methods: luaArray(name, 1_024),
  via: name.optional(),
});

export type Peripheral = z.infer<typeof PeripheralSchema>;

const ListPeripheralsResultSchema = z.object({ peripherals: luaArray(PeripheralSchema, 4_096) });

const CallPeripheralParamsSchema = z.object({
  calls: z.array(
    z.object({
      name: z.string(),
      method: z.string(),
      /** Null is nil. */
      args: z.array(z.unknown()),
      /** Number of arguments: trailing nulls are lost in Lua. */
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

const ListInventoryParamsSchema = z.object({
  names: z.array(z.string()).optional(),
});

const InventorySchema = z.object({
  name,
  types: luaArray(name, 64),
  size: number.optional(),
  slots: luaArray(
    z.object({
      slot: z.int(),
      name,
      count: number,
      nbt: name.optional(),
    }),
    16_384,
  ).default([]),
  error: cutText(16_384).optional(),
});

export type Inventory = z.infer<typeof InventorySchema>;

const ListInventoryResultSchema = z.object({
  inventories: luaArray(InventorySchema, 4_096),
  truncated: z.boolean().optional(),
});

/** A job with the result of `exec-lua`: the number of items moved. */
const MoveItemsParamsSchema = z.object({
  item: z.string(),
  to: z.string(),
  from: z.union([z.string(), z.array(z.string())]).optional(),
  count: z.int().optional(),
});

const RedstoneParamsSchema = z.object({
  side: z.string().optional(),
  output: z.boolean().optional(),
  strength: z.int().optional(),
  bundled: z.int().optional(),
  /** Restores the previous output after this long, at most 10 s. */
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
