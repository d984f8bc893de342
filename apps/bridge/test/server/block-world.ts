import {
  type Box,
  blockId,
  type Cell,
  filledWith,
  packCells,
  placesOf,
  sorted,
  type ToolArguments,
} from "@ccbridge/protocol/minecraft";

const WORLD = "minecraft:overworld";
const AIR = "minecraft:air";
const placeOf = ({ x, y, z }: { x: number; y: number; z: number }) => `${x} ${y} ${z}`;

/** The blocks of a server whose mod reads states: what `set_blocks` and `fill_blocks` do there. */
export class BlockWorld {
  readonly blocks = new Map<string, string>();
  /** Nothing there can be read or changed. */
  isLoaded = true;
  /** As a server that reads no blocks answers. */
  saysBefore = true;
  answers = true;

  readonly answer = (name: string, args: Record<string, unknown>): unknown => {
    if (!this.answers) return null;
    const data =
      name === "fill_blocks"
        ? this.#fill(args as ToolArguments<"fill_blocks">)
        : this.#set(args as ToolArguments<"set_blocks">);
    return { success: true, data };
  };

  at(place: string): string {
    return this.blocks.get(place) ?? AIR;
  }

  put(place: string, block: string): void {
    if (block === AIR) this.blocks.delete(place);
    else this.blocks.set(place, block);
  }

  #set({ blocks, dryRun }: ToolArguments<"set_blocks">) {
    const changed: Cell[] = [];
    if (!this.isLoaded) return { changed: 0, failed: blocks.length };
    for (const cell of blocks) {
      const there = this.at(placeOf(cell));
      if (this.#fits(there, cell.block)) continue;
      changed.push({ ...cell, block: there });
      if (!dryRun) this.put(placeOf(cell), fullState(cell.block));
    }
    return {
      changed: changed.length,
      unchanged: blocks.length - changed.length,
      ...(dryRun ? { dryRun } : {}),
      ...this.#before(changed, dryRun),
    };
  }

  #fill(fill: ToolArguments<"fill_blocks">) {
    const changed: Cell[] = [];
    for (const place of placesOf(sorted(fill as Box))) {
      const there = this.at(placeOf(place));
      const after = filledWith(fill, { ...place, block: there });
      if (after === undefined || this.#fits(there, after)) continue;
      changed.push({ ...place, block: there });
      if (!fill.dryRun) this.put(placeOf(place), fullState(after));
    }
    return { changed: changed.length, ...this.#before(changed, fill.dryRun) };
  }

  #before(cells: readonly Cell[], isDry: boolean) {
    return this.saysBefore || isDry ? { before: packCells(WORLD, cells, true) } : {};
  }

  /** A block without a state leaves the state open. */
  #fits(there: string, wanted: string): boolean {
    return wanted.includes("[") ? there === fullState(wanted) : blockId(there) === blockId(wanted);
  }
}

/** As the game writes it: logs have an axis. */
function fullState(block: string): string {
  const named = block.includes(":") ? block : `minecraft:${block}`;
  return named.endsWith("_log") ? `${named}[axis=y]` : named;
}
