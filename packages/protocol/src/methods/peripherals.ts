import { z } from "zod";
import { LuaValueSchema, luaArray } from "../link/lua.js";

/** `list-peripherals` asks what is attached to a computer, at its sides and on wired networks. */
const ListPeripheralsParamsSchema = z.object({});

const PeripheralSchema = z.object({
  /** A side, or the name on a wired network. */
  name: z.string(),
  /** The main type first. */
  types: luaArray(z.string()),
  methods: luaArray(z.string()),
  /** For a peripheral on a wired network: the side of the modem that reaches it. */
  via: z.string().optional(),
});

export type Peripheral = z.infer<typeof PeripheralSchema>;

const ListPeripheralsResultSchema = z.object({ peripherals: luaArray(PeripheralSchema) });

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
      returns: luaArray(LuaValueSchema).default([]),
      error: z.string().optional(),
    }),
  ),
});

/** `list-inventory` asks what is in the chests and other inventories in reach. */
const ListInventoryParamsSchema = z.object({
  /** Only these; all when absent. */
  names: z.array(z.string()).optional(),
});

const InventorySchema = z.object({
  name: z.string(),
  types: luaArray(z.string()),
  size: z.number().optional(),
  /** The slots that hold something. */
  slots: luaArray(
    z.object({
      slot: z.int(),
      name: z.string(),
      count: z.number(),
      /** Tells apart items of one name, such as two enchanted books. */
      nbt: z.string().optional(),
    }),
  ).default([]),
  error: z.string().optional(),
});

export type Inventory = z.infer<typeof InventorySchema>;

const ListInventoryResultSchema = z.object({
  inventories: luaArray(InventorySchema),
  /** True when there was more than one answer holds. */
  truncated: z.boolean().optional(),
});

/** `redstone` sets one side, if it is told to, and reads all of them. */
const RedstoneParamsSchema = z.object({
  side: z.string().optional(),
  output: z.boolean().optional(),
  /** 0 to 15. */
  strength: z.int().optional(),
  /** One bit for each of the sixteen colours. */
  bundled: z.int().optional(),
});

const RedstoneResultSchema = z.object({
  sides: luaArray(
    z.object({
      side: z.string(),
      input: z.number(),
      output: z.number(),
      bundledInput: z.number(),
      bundledOutput: z.number(),
    }),
  ),
});

export const peripheralsMethods = {
  "list-peripherals": { params: ListPeripheralsParamsSchema, result: ListPeripheralsResultSchema },
  "call-peripheral": { params: CallPeripheralParamsSchema, result: CallPeripheralResultSchema },
  "list-inventory": { params: ListInventoryParamsSchema, result: ListInventoryResultSchema },
  redstone: { params: RedstoneParamsSchema, result: RedstoneResultSchema },
} as const;
