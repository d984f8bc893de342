export { Computer } from "./computer.js";
export type { ComputerKind, ComputerOptions, ComputerStats } from "./computer-options.js";
export { screenContains } from "./conditions.js";
export type { CpuClock } from "./execution-timer.js";
export { allowAll, defaultHttpRules, type HttpRule } from "./http/address-rules.js";
export type { Peripheral, PeripheralMethod } from "./peripherals.js";
export type { Side } from "./redstone.js";
export { LuaExpression, type LuaValue } from "./vm/literal.js";
export { LuaError, Results } from "./vm/lua-vm.js";
export type { LuaData, LuaTable } from "./vm/wire.js";
export type { Block, BlockWorld, ItemStack, Position } from "./world/blocks.js";
export type { CommandOptions, CommandResult, Commands } from "./world/commands.js";
export {
  computerPeripheral,
  type Inventory,
  type InventoryOptions,
  inventoryPeripheral,
  monitorPeripheral,
} from "./world/peripherals.js";
export type { Facing, Turtle, TurtleOptions } from "./world/turtle.js";
export { WiredNetwork } from "./world/wired-network.js";
export {
  createWorld,
  type PlacedComputer,
  type PlacedComputerOptions,
  World,
  type WorldOptions,
} from "./world.js";
