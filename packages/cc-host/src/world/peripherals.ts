import type { Computer } from "../computer.js";
import type { Peripheral, PeripheralMethod } from "../peripherals.js";
import { Terminal } from "../terminal.js";
import type { LuaValue } from "../vm/literal.js";
import { LuaError } from "../vm/lua-vm.js";
import type { LuaScalar } from "../vm/memory.js";
import type { ItemStack } from "./blocks.js";
import { Slots, stackLimit } from "./slots.js";
import type { WiredNetwork } from "./wired-network.js";

export function computerPeripheral(computer: Computer): Peripheral {
  return {
    types: [computer.kind === "turtle" ? "turtle" : "computer"],
    methods: {
      turnOn: () => void computer.turnOn(),
      shutdown: () => void computer.shutdown(),
      reboot: () => void computer.reboot(),
      getID: () => computer.id,
      isOn: () => computer.isOn,
      getLabel: () => computer.label,
    },
  };
}

export function monitorPeripheral(
  width = 18,
  height = 12,
  advanced = true,
): Peripheral & { readonly screen: Terminal } {
  const screen = new Terminal(width, height, advanced);
  let scale = 1;
  const methods: Record<string, PeripheralMethod> = {
    setTextScale: (value) => {
      if (typeof value !== "number" || value < 0.5 || value > 5) {
        throw new LuaError("Expected number in range 0.5-5");
      }
      scale = value;
    },
    getTextScale: () => scale,
  };
  for (const [name, fn] of Object.entries(screen.hostFunctions())) {
    methods[name.replace(/^term\./, "")] = (...args) => fn(...(args as LuaScalar[]));
  }
  return { types: ["monitor"], methods, screen };
}

export interface InventoryOptions {
  readonly type?: string;
  readonly size?: number;
  readonly items?: Readonly<Record<number, ItemStack>>;
}

export interface Inventory extends Peripheral {
  readonly slots: Slots;
}

function detail(stack: ItemStack): LuaValue {
  return {
    name: stack.name,
    count: stack.count,
    maxCount: stackLimit(stack),
    displayName: stack.displayName ?? stack.name,
    tags: {},
  };
}

export function inventoryPeripheral(
  options: InventoryOptions = {},
  network?: WiredNetwork,
): Inventory {
  const size = options.size ?? 27;
  const slots = new Slots(Array.from({ length: size }, (_, index) => options.items?.[index + 1]));
  const checked = (slot: unknown): number => {
    if (typeof slot !== "number") throw new LuaError("bad argument #1 (number expected)");
    if (slot < 1 || slot > size)
      throw new LuaError(`Slot out of range (${slot} not in [1, ${size}])`);
    return slot;
  };
  const other = (name: unknown): Slots => {
    const found = network?.get(String(name)) as Inventory | undefined;
    if (found === undefined) throw new LuaError(`Target '${String(name)}' does not exist`);
    if (!(found.slots instanceof Slots)) {
      throw new LuaError(`Target '${String(name)}' is not an inventory`);
    }
    return found.slots;
  };
  return {
    types: [options.type ?? "minecraft:chest", "inventory"],
    mainThread: true,
    slots,
    methods: {
      size: () => size,
      list: () =>
        new Map(
          slots.orderFrom(1).flatMap((slot): [number, LuaValue][] => {
            const stack = slots.get(slot);
            return stack === undefined ? [] : [[slot, { name: stack.name, count: stack.count }]];
          }),
        ),
      getItemDetail: (slot) => {
        const stack = slots.get(checked(slot));
        return stack && detail(stack);
      },
      getItemLimit: (slot) => {
        const stack = slots.get(checked(slot));
        return stack === undefined ? 64 : stackLimit(stack);
      },
      pushItems: (to, from, limit, slot) => move(slots, other(to), checked(from), limit, slot),
      pullItems: (from, slot, limit, to) => move(other(from), slots, Number(slot), limit, to),
    },
  };
}

function move(from: Slots, to: Slots, slot: number, limit: unknown, target: unknown): number {
  const stack = from.get(slot);
  if (stack === undefined) return 0;
  const wanted = Math.min(stack.count, typeof limit === "number" ? limit : stack.count);
  const order = typeof target === "number" ? [target] : to.orderFrom(1);
  const left = to.put({ ...stack, count: wanted }, order);
  from.take(slot, wanted - left);
  return wanted - left;
}
