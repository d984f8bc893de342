export { Computer, type ComputerKind, type ComputerOptions, type ComputerStats } from "./computer.js";
export type { CpuClock } from "./execution-timer.js";
export { allowAll, defaultHttpRules, type HttpRule } from "./http/address-rules.js";
export type { Peripheral, PeripheralMethod } from "./peripherals.js";
export type { Side } from "./redstone.js";
export { LuaExpression, type LuaValue } from "./vm/literal.js";
export { LuaError, Results } from "./vm/lua-vm.js";
export type { LuaData, LuaTable } from "./vm/wire.js";
export { createWorld, World, type WorldOptions } from "./world.js";
