import type { ItemStack } from "./blocks.js";

const DEFAULT_STACK_SIZE = 64;

export function stackLimit(stack: ItemStack): number {
  return stack.maxCount ?? DEFAULT_STACK_SIZE;
}

export function roomFor(slot: ItemStack | undefined, stack: ItemStack): number {
  if (slot === undefined) return stackLimit(stack);
  return slot.name === stack.name ? stackLimit(slot) - slot.count : 0;
}

export class Slots {
  readonly #slots: (ItemStack | undefined)[];
  readonly #onChange: () => void;

  constructor(slots: (ItemStack | undefined)[], onChange: () => void = () => {}) {
    this.#slots = slots;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#slots.length;
  }

  get(slot: number): ItemStack | undefined {
    return this.#slots[slot - 1];
  }

  set(slot: number, stack: ItemStack | undefined): void {
    this.#slots[slot - 1] = stack === undefined || stack.count === 0 ? undefined : stack;
    this.#onChange();
  }

  take(slot: number, count: number): ItemStack | undefined {
    const stack = this.get(slot);
    if (stack === undefined || count <= 0) return undefined;
    const taken = Math.min(count, stack.count);
    this.set(slot, { ...stack, count: stack.count - taken });
    return { ...stack, count: taken };
  }

  put(stack: ItemStack, order: readonly number[]): number {
    let left = stack.count;
    for (const slot of order) {
      if (left === 0) break;
      const fits = Math.min(left, roomFor(this.get(slot), stack));
      if (fits <= 0) continue;
      this.set(slot, { ...stack, count: (this.get(slot)?.count ?? 0) + fits });
      left -= fits;
    }
    return left;
  }

  orderFrom(first: number): number[] {
    return Array.from({ length: this.size }, (_, index) => ((first - 1 + index) % this.size) + 1);
  }
}
