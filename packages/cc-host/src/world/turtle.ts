import type { LuaValue } from "../vm/literal.js";
import { toLiteral } from "../vm/literal.js";
import { type HostFunctions, LuaError, Results } from "../vm/lua-vm.js";
import type { LuaScalar } from "../vm/memory.js";
import type { Block, BlockWorld, ItemStack, Position } from "./blocks.js";
import { MAX_Y, MIN_Y } from "./blocks.js";
import { roomFor, Slots } from "./slots.js";

export type Facing = "north" | "east" | "south" | "west";

export interface TurtleOptions {
  readonly position?: Position;
  readonly facing?: Facing;
  readonly fuel?: number | "unlimited";
  readonly items?: Readonly<Record<number, ItemStack>>;
  readonly tool?: boolean;
}

type Direction = "forward" | "up" | "down" | "back";

const FACINGS: readonly Facing[] = ["north", "east", "south", "west"];
const STEPS: Readonly<Record<Facing, readonly [number, number]>> = {
  north: [0, -1],
  east: [1, 0],
  south: [0, 1],
  west: [-1, 0],
};
const FUEL_VALUES: Readonly<Record<string, number>> = {
  "minecraft:coal": 80,
  "minecraft:charcoal": 80,
  "minecraft:coal_block": 800,
  "minecraft:lava_bucket": 1_000,
  "minecraft:blaze_rod": 120,
  "minecraft:oak_log": 15,
  "minecraft:oak_planks": 15,
  "minecraft:stick": 5,
};
const TOOL = { name: "minecraft:diamond_pickaxe", count: 1 };
const SLOT_COUNT = 16;
const MAX_WAITING = 17;
const ANIMATION_TICKS = 8;

const succeed = (...values: LuaValue[]) => new Results(true, ...values);
const refuse = (reason: string) => new Results(false, reason);

interface Command {
  readonly id: number;
  readonly animated: boolean;
  readonly run: () => Results;
}

export class Turtle {
  position: Position;
  facing: Facing;
  fuel: number | "unlimited";
  readonly fuelLimit: number;
  readonly slots: Slots;
  selectedSlot = 1;
  readonly #blocks: BlockWorld;
  readonly #tool: boolean;
  readonly #equippedQueries: boolean;
  readonly #queueEvent: (name: string, ...args: LuaValue[]) => void;
  #commands: Command[] = [];
  #busyTicks = 0;
  #nextId = 1;

  constructor(
    blocks: BlockWorld,
    options: TurtleOptions,
    kind: { readonly advanced: boolean; readonly equippedQueries: boolean },
    queueEvent: (name: string, ...args: LuaValue[]) => void,
  ) {
    this.#equippedQueries = kind.equippedQueries;
    this.#blocks = blocks;
    this.#queueEvent = queueEvent;
    this.position = options.position ?? { x: 0, y: 64, z: 0 };
    this.facing = options.facing ?? "north";
    this.fuel = options.fuel ?? 0;
    this.fuelLimit = kind.advanced ? 100_000 : 20_000;
    this.#tool = options.tool ?? true;
    const slots = Array.from({ length: SLOT_COUNT }, (_, index) => options.items?.[index + 1]);
    this.slots = new Slots(slots, () => queueEvent("turtle_inventory"));
  }

  tick(): void {
    if (this.#busyTicks > 0 && --this.#busyTicks > 0) return;
    const command = this.#commands.shift();
    if (command === undefined) return;
    const outcome = command.run();
    if (command.animated && outcome.values[0] === true) this.#busyTicks = ANIMATION_TICKS;
    this.#queueEvent("turtle_response", command.id, ...outcome.values);
  }

  reset(): void {
    this.#commands = [];
    this.#busyTicks = 0;
  }

  get functions(): HostFunctions {
    const queries = this.#queries();
    const commands = this.#actions();
    return {
      "turtle.methods": () => [...Object.keys(queries), ...Object.keys(commands)].join(" "),
      "turtle.call": (name, ...args) => {
        const query = queries[String(name)];
        if (query !== undefined) {
          return new Results(undefined, `return ${query(args).values.map(toLiteral).join(",")}`);
        }
        return this.#submit(String(name), commands[String(name)] as Action, args);
      },
    };
  }

  #submit(name: string, action: Action, args: LuaScalar[]): Results {
    // Invalid arguments throw at once; only the action is queued.
    const run = action(args);
    if (this.#commands.length >= MAX_WAITING) {
      return new Results(
        undefined,
        `return false, ${toLiteral("Too many ongoing turtle commands")}`,
      );
    }
    const id = this.#nextId++;
    this.#commands.push({ id, animated: !/^(detect|inspect|select|compare)/.test(name), run });
    return new Results(id);
  }

  #queries(): Record<string, (args: LuaScalar[]) => Results> {
    const equipped = {
      getEquippedLeft: () => new Results(this.#tool ? TOOL : null),
      getEquippedRight: () => new Results(null),
    };
    const slotOf = (value: LuaScalar) => (value === undefined ? this.selectedSlot : slot(value, 1));
    return {
      ...(this.#equippedQueries ? equipped : {}),
      getSelectedSlot: () => new Results(this.selectedSlot),
      getItemCount: ([at]) => new Results(this.slots.get(slotOf(at))?.count ?? 0),
      getItemSpace: ([at]) => {
        const stack = this.slots.get(slotOf(at));
        return new Results(stack === undefined ? 64 : roomFor(stack, stack));
      },
      getItemDetail: ([at]) => {
        const stack = this.slots.get(slotOf(at));
        return new Results(stack && { name: stack.name, count: stack.count });
      },
      getFuelLevel: () => new Results(this.fuel),
      getFuelLimit: () => new Results(this.fuel === "unlimited" ? "unlimited" : this.fuelLimit),
    };
  }

  #actions(): Record<string, Action> {
    const actions: Record<string, Action> = {
      forward: () => () => this.#move("forward"),
      back: () => () => this.#move("back"),
      up: () => () => this.#move("up"),
      down: () => () => this.#move("down"),
      turnLeft: () => () => this.#turn(-1),
      turnRight: () => () => this.#turn(1),
      select: ([at]) => {
        const wanted = slot(at, 1);
        return () => {
          this.selectedSlot = wanted;
          return succeed();
        };
      },
      refuel: ([count]) => {
        const amount = itemCount(count);
        return () => this.#refuel(amount);
      },
      transferTo: ([to, count]) => {
        const target = slot(to, 1);
        const amount = itemCount(count, 2);
        return () => this.#transfer(target, amount);
      },
      compareTo: ([to]) => {
        const target = slot(to, 1);
        return () =>
          new Results(this.slots.get(target)?.name === this.slots.get(this.selectedSlot)?.name);
      },
      equipLeft: () => () => refuse("Not a valid upgrade"),
      equipRight: () => () => refuse("Not a valid upgrade"),
    };
    for (const [suffix, direction] of DIRECTIONS) {
      Object.assign(actions, {
        [`detect${suffix}`]: () => () => new Results(this.#solidAt(direction) !== undefined),
        [`inspect${suffix}`]: () => () => this.#inspect(direction),
        [`compare${suffix}`]: () => () =>
          new Results(this.#blockAt(direction)?.name === this.slots.get(this.selectedSlot)?.name),
        [`dig${suffix}`]: () => () => this.#dig(direction),
        [`attack${suffix}`]: () => () =>
          refuse(this.#tool ? "Nothing to attack here" : "No tool to attack with"),
        [`place${suffix}`]: () => () => this.#place(direction),
        [`drop${suffix}`]: ([count]: LuaScalar[]) => {
          const amount = itemCount(count);
          return () => this.#drop(direction, amount);
        },
        [`suck${suffix}`]: ([count]: LuaScalar[]) => {
          const amount = itemCount(count);
          return () => this.#suck(direction, amount);
        },
      });
    }
    return actions;
  }

  #target(direction: Direction): Position {
    const { x, y, z } = this.position;
    if (direction === "up") return { x, y: y + 1, z };
    if (direction === "down") return { x, y: y - 1, z };
    const [dx, dz] = STEPS[this.facing];
    const sign = direction === "back" ? -1 : 1;
    return { x: x + dx * sign, y, z: z + dz * sign };
  }

  #blockAt(direction: Direction): Block | undefined {
    return this.#blocks.get(this.#target(direction));
  }

  #solidAt(direction: Direction): Block | undefined {
    const block = this.#blockAt(direction);
    return block?.liquid === true ? undefined : block;
  }

  #move(direction: Direction): Results {
    const target = this.#target(direction);
    if (target.y < MIN_Y || target.y > MAX_Y) return refuse("Cannot leave the world");
    if (!this.#blocks.isLoaded(target)) return refuse("Cannot leave loaded world");
    if (this.#solidAt(direction) !== undefined) return refuse("Movement obstructed");
    if (this.fuel !== "unlimited") {
      if (this.fuel < 1) return refuse("Out of fuel");
      this.fuel--;
    }
    this.position = target;
    return succeed();
  }

  #turn(step: 1 | -1): Results {
    const index = (FACINGS.indexOf(this.facing) + step + FACINGS.length) % FACINGS.length;
    this.facing = FACINGS[index] as Facing;
    return succeed();
  }

  #inspect(direction: Direction): Results {
    const block = this.#blockAt(direction);
    if (block === undefined) return refuse("No block to inspect");
    const tags = Object.fromEntries((block.tags ?? []).map((tag) => [tag, true]));
    return succeed({ name: block.name, state: block.state ?? {}, tags });
  }

  #dig(direction: Direction): Results {
    if (!this.#tool) return refuse("No tool to dig with");
    const block = this.#solidAt(direction);
    if (block === undefined) return refuse("Nothing to dig here");
    if (block.unbreakable === true) return refuse("Cannot break unbreakable block");
    const target = this.#target(direction);
    this.#blocks.remove(target);
    const contents = block.inventory?.filter((stack) => stack !== undefined) ?? [];
    for (const stack of [...(block.drops ?? [{ name: block.name, count: 1 }]), ...contents]) {
      const left = this.slots.put(stack, this.slots.orderFrom(this.selectedSlot));
      if (left > 0) this.#blocks.dropItem(this.position, { ...stack, count: left });
    }
    return succeed();
  }

  #place(direction: Direction): Results {
    const stack = this.slots.get(this.selectedSlot);
    if (stack === undefined) return refuse("No items to place");
    if (this.#solidAt(direction) !== undefined) return refuse("Cannot place block here");
    this.#blocks.set(this.#target(direction), stack.name);
    this.slots.take(this.selectedSlot, 1);
    return succeed();
  }

  #drop(direction: Direction, count: number): Results {
    const stack = this.slots.get(this.selectedSlot);
    if (stack === undefined) return refuse("No items to drop");
    const amount = Math.min(count, stack.count);
    const chest = this.#blockAt(direction)?.inventory;
    if (chest === undefined) {
      this.#blocks.dropItem(this.#target(direction), { ...stack, count: amount });
      this.slots.take(this.selectedSlot, amount);
      return succeed();
    }
    const slots = new Slots(chest);
    const left = slots.put({ ...stack, count: amount }, slots.orderFrom(1));
    if (left === amount) return refuse("No space for items");
    this.slots.take(this.selectedSlot, amount - left);
    return succeed();
  }

  #suck(direction: Direction, count: number): Results {
    const target = this.#target(direction);
    const chest = this.#blockAt(direction)?.inventory;
    const source = chest ?? [...this.#blocks.itemsAt(target)];
    const index = source.findIndex((stack) => stack !== undefined);
    const stack = source[index];
    if (stack === undefined) return refuse("No items to take");
    const amount = Math.min(count, stack.count);
    const left = this.slots.put(
      { ...stack, count: amount },
      this.slots.orderFrom(this.selectedSlot),
    );
    if (left === amount) return refuse("No space for items");
    const rest = stack.count - (amount - left);
    source[index] = rest === 0 ? undefined : { ...stack, count: rest };
    if (chest === undefined) {
      this.#blocks.setItems(
        target,
        source.filter((entry) => entry !== undefined),
      );
    }
    return succeed();
  }

  #refuel(count: number): Results {
    const stack = this.slots.get(this.selectedSlot);
    if (stack === undefined) return refuse("No items to combust");
    const value = FUEL_VALUES[stack.name];
    if (value === undefined) return refuse("Items not combustible");
    if (count === 0 || this.fuel === "unlimited") return succeed();
    const used = Math.min(count, stack.count);
    this.slots.take(this.selectedSlot, used);
    this.fuel = Math.min(this.fuelLimit, this.fuel + used * value);
    return succeed();
  }

  #transfer(target: number, count: number): Results {
    const stack = this.slots.get(this.selectedSlot);
    if (stack === undefined || target === this.selectedSlot) return succeed();
    const amount = Math.min(count, stack.count);
    const left = this.slots.put({ ...stack, count: amount }, [target]);
    if (left === amount) return refuse("No space for items");
    this.slots.take(this.selectedSlot, amount - left);
    return succeed();
  }
}

type Action = (args: LuaScalar[]) => () => Results;

const DIRECTIONS: readonly (readonly [string, Direction])[] = [
  ["", "forward"],
  ["Up", "up"],
  ["Down", "down"],
];

function slot(value: LuaScalar, index: number): number {
  if (typeof value !== "number") {
    throw new LuaError(
      `bad argument #${index} (number expected, got ${value === undefined ? "nil" : typeof value})`,
    );
  }
  if (value < 1 || value > SLOT_COUNT) throw new LuaError(`Slot number ${value} out of range`);
  return Math.floor(value);
}

function itemCount(value: LuaScalar, index = 1): number {
  if (value === undefined) return 64;
  if (typeof value !== "number") {
    throw new LuaError(`bad argument #${index} (number expected, got ${typeof value})`);
  }
  if (value < 0 || value > 64) throw new LuaError(`Item count ${value} out of range`);
  return value;
}
