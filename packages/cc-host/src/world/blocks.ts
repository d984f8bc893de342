import type { LuaValue } from "../vm/literal.js";

/** A stack of items. */
export interface ItemStack {
  readonly name: string;
  readonly count: number;
  /** @default 64 */
  readonly maxCount?: number;
  readonly displayName?: string;
}

/** A block of the small world that turtles live in. */
export interface Block {
  readonly name: string;
  readonly state?: Readonly<Record<string, LuaValue>>;
  readonly tags?: readonly string[];
  /** Cannot be dug, like bedrock. */
  readonly unbreakable?: boolean;
  /** Turtles can move through it and it cannot be dug, like water. */
  readonly liquid?: boolean;
  /** What digging yields. @default one item of the block's name */
  readonly drops?: readonly ItemStack[];
  /** Slots of a chest, which turtles drop into and suck from. */
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

/** Blocks by position; everything not set is air. */
export class BlockWorld {
  readonly #blocks = new Map<string, Block>();
  readonly #items = new Map<string, ItemStack[]>();
  /** Whether the chunk of a position is loaded; turtles do not enter others. */
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

  /** Items that lie on the ground there. */
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
