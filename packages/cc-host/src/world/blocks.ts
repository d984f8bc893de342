import type { LuaValue } from "../vm/literal.js";

export interface ItemStack {
  readonly name: string;
  readonly count: number;
  readonly maxCount?: number;
  readonly displayName?: string;
}

export interface Block {
  readonly name: string;
  readonly state?: Readonly<Record<string, LuaValue>>;
  readonly tags?: readonly string[];
  readonly unbreakable?: boolean;
  /** Like water: passable, and cannot be dug. */
  readonly liquid?: boolean;
  readonly drops?: readonly ItemStack[];
  readonly inventory?: (ItemStack | undefined)[];
}

export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export const MIN_Y = -64;
export const MAX_Y = 319;

function key(at: Position): string {
  return `${at.x},${at.y},${at.z}`;
}

export class BlockWorld {
  readonly #blocks = new Map<string, Block>();
  readonly #items = new Map<string, ItemStack[]>();
  /** Turtles do not enter unloaded chunks. */
  isLoaded: (at: Position) => boolean = () => true;

  get(at: Position): Block | undefined {
    return this.#blocks.get(key(at));
  }

  set(at: Position, block: Block | string): void {
    this.#blocks.set(key(at), typeof block === "string" ? { name: block } : block);
  }

  remove(at: Position): void {
    this.#blocks.delete(key(at));
  }

  itemsAt(at: Position): readonly ItemStack[] {
    return this.#items.get(key(at)) ?? [];
  }

  dropItem(at: Position, stack: ItemStack): void {
    this.#items.set(key(at), [...this.itemsAt(at), stack]);
  }

  setItems(at: Position, stacks: readonly ItemStack[]): void {
    if (stacks.length === 0) this.#items.delete(key(at));
    else this.#items.set(key(at), [...stacks]);
  }
}
