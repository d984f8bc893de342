import { RequestError } from "@ccbridge/minecraft-agent/game";
import type { MethodParams, MethodResult } from "@ccbridge/protocol";
import { type Box, placesOf, ServerErrorCode, sorted } from "@ccbridge/protocol/minecraft";

/** The side of the largest cube that the program reads at once. */
const MAX_SIDE = 33;
const MAX_CUBES = 8;

type Corner = Box["from"];

/** Asks a command computer for the blocks of a cube. */
export type ReadCube = (
  cube: MethodParams<"server-blocks">,
) => Promise<MethodResult<"server-blocks">>;

/** The ids of the blocks in a box by "x y z", read in cubes, which is what the program gives. */
export async function readBox(
  readCube: ReadCube,
  world: string,
  box: Box,
): Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, string>();
  for (const [centre, radius] of cubesOf(sorted(box))) {
    const { names, runs } = await readCube({ ...centre, radius, world });
    const places = placesOf({ from: moved(centre, -radius), to: moved(centre, radius) });
    for (let at = 0; at + 1 < runs.length; at += 2) {
      const name = names[runs[at] ?? 0] ?? "minecraft:air";
      for (let left = runs[at + 1] ?? 0; left > 0; left--) {
        const { value, done } = places.next();
        if (done) break;
        read.set(keyOf(value), name);
      }
    }
  }
  const keys = [...placesOf(box)].map(keyOf);
  return new Map(keys.map((key) => [key, read.get(key) ?? "minecraft:air"]));
}

function cubesOf({ from, to }: Box): [centre: Corner, radius: number][] {
  const sides = [to.x - from.x + 1, to.y - from.y + 1, to.z - from.z + 1];
  const radius = Math.floor(Math.min(MAX_SIDE, Math.max(...sides)) / 2);
  const side = 2 * radius + 1;
  const count = sides.reduce((product, length) => product * Math.ceil(length / side), 1);
  if (count > MAX_CUBES) {
    throw new RequestError(
      ServerErrorCode.invalidArgs,
      `Nothing was done: the blocks are too far apart for a command computer, which reads ${MAX_CUBES} cubes of ${MAX_SIDE} blocks at most. Use several calls.`,
    );
  }
  const cubes: [Corner, number][] = [];
  for (let y = from.y; y <= to.y; y += side) {
    for (let z = from.z; z <= to.z; z += side) {
      for (let x = from.x; x <= to.x; x += side) cubes.push([moved({ x, y, z }, radius), radius]);
    }
  }
  return cubes;
}

function moved({ x, y, z }: Corner, by: number): Corner {
  return { x: x + by, y: y + by, z: z + by };
}

function keyOf({ x, y, z }: Corner): string {
  return `${x} ${y} ${z}`;
}
