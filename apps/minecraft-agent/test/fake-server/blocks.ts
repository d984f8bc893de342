import type { FakeWorld } from "./world.js";

/** The game's `setblock` and `fill`, for ids without a state. */
export function answerBlocks(world: FakeWorld, dimension: string, command: string): string {
  const [name, ...words] = command.split(" ");
  if (name === "setblock") {
    const [x = "", y = "", z = "", block = ""] = words;
    if (block.includes("nonsense")) return `Unknown block type '${block}'`;
    return put(world, `${dimension} ${x} ${y} ${z}`, block)
      ? `Changed the block at ${x}, ${y}, ${z}`
      : "Could not set the block";
  }
  const [x1 = 0, y1 = 0, z1 = 0, x2 = 0, y2 = 0, z2 = 0] = words.slice(0, 6).map(Number);
  let changed = 0;
  for (let x = Math.min(x1, x2); x <= Math.max(x1, x2); x++) {
    for (let y = Math.min(y1, y2); y <= Math.max(y1, y2); y++) {
      for (let z = Math.min(z1, z2); z <= Math.max(z1, z2); z++) {
        if (put(world, `${dimension} ${x} ${y} ${z}`, words[6] ?? "")) changed += 1;
      }
    }
  }
  return changed === 0 ? "No blocks were filled" : `Successfully filled ${changed} block(s)`;
}

const idOf = (block: string) => (block.includes(":") ? block : `minecraft:${block}`);

/** The game's `execute if block`. Nothing below y -64 is loaded. */
export function testBlock(world: FakeWorld, at: string, block: string): string {
  if (Number(at.split(" ")[2]) < -64) return "That position is not loaded";
  return idOf(world.blocks.get(at) ?? "air") === idOf(block) ? "Test passed" : "Test failed";
}

function put(world: FakeWorld, at: string, block: string): boolean {
  if ((world.blocks.get(at) ?? "air") === block) return false;
  world.blocks.set(at, block);
  return true;
}
