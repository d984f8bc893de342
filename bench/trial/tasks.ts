import { type Base, CHEST, diskOf, HOME, ORES } from "./base.js";
import { lockFault } from "./lock-check.js";
import { pictureFault } from "./picture-check.js";
import type { Task } from "./trial.js";

export const baseTasks: readonly Task<Base>[] = [
  {
    name: "iron",
    words:
      "All iron ingots in the chests of the storage room belong in the chest minecraft:chest_4. Everything else there stays where it is.",
    missing: ironMissing,
  },
  {
    name: "lock",
    words:
      "The door lock at the gate (the program lock) has been broken since I changed it. With the code 2580 it should open the door on the right for three seconds and shut it again; with any other code the door stays shut and it asks again. Make it work, and let the door open once to be sure.",
    missing: ({ gate, computers }) => {
      if (!gate.wasUsed) return "the door has not been opened and shut";
      return lockFault(computers.gate.fs);
    },
  },
  {
    name: "ores",
    words:
      "The turtle called miner stands at 100 12 -40 and looks north. There is diamond ore at 103 12 -43, 103 13 -43 and 98 11 -41. Let it mine all three, put the diamonds into the chest right behind the place where it stands now, and come back to that place, looking north.",
    missing: oresMissing,
  },
  {
    name: "smelting",
    words:
      "Start smelt on the furnace computer; it takes a while. Some batches usually burn. When it is through, write the numbers of the burned batches and then the seal that it shows at the end into /smelted.txt on that computer, separated by spaces.",
    missing: ({ furnaces, computers }) =>
      noteMissing(computers.furnace, "/smelted.txt", [...furnaces.burned, furnaces.seal]),
  },
  {
    name: "parcel",
    words:
      "Now and then a parcel falls onto the scale at the left of the gate's computer. It lies there for a few seconds, and the heavier it is the stronger is the redstone signal. Wait for the next one and write how strong its signal was, just the number, into /parcel.txt on that computer.",
    missing: ({ gate }) =>
      gate.parcelNoted ? undefined : "/parcel.txt does not name a parcel that had just come",
  },
  {
    name: "watering",
    words:
      "Bring the watering program from the farm to the greenhouse: everything in /irrigation, to the same place, except local.cfg. What the greenhouse has of it is old and may be replaced, but its own local.cfg must stay as it is.",
    missing: wateringMissing,
  },
  {
    name: "picture",
    words:
      "Paint a picture on the monitor in the hall: blue sky, a yellow sun in the upper right corner, green grass along the whole bottom, and WELCOME HOME written in the sky.",
    missing: ({ monitor }) => pictureFault(monitor.screen),
  },
  {
    name: "farm",
    words: "Run setup on the farm's computer: carrots, 12 rows, and it should replant by itself.",
    missing: ({ computers }) => {
      const { fs } = computers.farm;
      if (!fs.exists("/farm.cfg")) return "/farm.cfg is not there";
      const text = fs.read("/farm.cfg");
      const wanted = [/crop = "carrots"/, /rows = 12\b/, /replant = true/];
      return wanted.every((part) => part.test(text)) ? undefined : `/farm.cfg says ${text}`;
    },
  },
];

type Stacks = Iterable<{ name: string; count: number } | undefined>;

function totals(stacks: Stacks): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stack of stacks) {
    if (stack) counts.set(stack.name, (counts.get(stack.name) ?? 0) + stack.count);
  }
  return counts;
}

const INGOT = "minecraft:iron_ingot";
const INGOTS = 116;
const OTHERS = [76, 20, 53, 58, 44];

function ironMissing({ chests }: Base): string | undefined {
  for (const [index, { slots }] of chests.entries()) {
    const counts = totals(slots.orderFrom(1).map((slot) => slots.get(slot)));
    const ingots = counts.get(INGOT) ?? 0;
    const wanted = index === 4 ? INGOTS : 0;
    if (ingots !== wanted) return `chest_${index} holds ${ingots} iron ingots`;
    counts.delete(INGOT);
    const others = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (others !== OTHERS[index]) return `chest_${index} holds ${others} other items`;
  }
}

function oresMissing({ world, computers }: Base): string | undefined {
  const left = ORES.filter((at) => world.blocks.get(at)?.name === "minecraft:diamond_ore");
  if (left.length > 0) return `${left.length} ores are left`;
  const diamonds = totals(world.blocks.get(CHEST)?.inventory ?? []).get("minecraft:diamond") ?? 0;
  if (diamonds !== ORES.length) return `the chest holds ${diamonds} diamonds`;
  const { turtle } = computers.miner;
  if (turtle === undefined) return "there is no turtle";
  const { x, y, z } = turtle.position;
  if (x !== HOME.x || y !== HOME.y || z !== HOME.z || turtle.facing !== "north") {
    return `the turtle is at ${x} ${y} ${z}, looking ${turtle.facing}`;
  }
}

function noteMissing(
  { fs }: Base["computers"]["furnace"],
  path: string,
  numbers: readonly number[],
): string | undefined {
  if (!fs.exists(path)) return `${path} is not there`;
  const text = fs.read(path);
  const noted = text.split(/[\s,]+/).filter((word) => word !== "");
  return noted.join(" ") === numbers.join(" ") ? undefined : `${path} says ${text}`;
}

function wateringMissing({ computers: { greenhouse } }: Base): string | undefined {
  const wanted = Object.entries(diskOf("farm")).filter(
    ([path]) => path.startsWith("/irrigation/") && !path.endsWith("/local.cfg"),
  );
  const own = Object.entries(diskOf("greenhouse")).filter(([path]) => path.endsWith("/local.cfg"));
  for (const [path, bytes] of [...wanted, ...own]) {
    if (!greenhouse.fs.exists(path)) return `${path} is not there`;
    if (!greenhouse.fs.readBytes(path).equals(bytes)) return `${path} is not what it should be`;
  }
}
