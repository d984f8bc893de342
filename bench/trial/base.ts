import { fileURLToPath } from "node:url";
import {
  allowAll,
  createWorld,
  type Inventory,
  inventoryPeripheral,
  monitorPeripheral,
  type PlacedComputer,
  type PlacedComputerOptions,
  type Position,
  WiredNetwork,
  type World,
} from "@ccbridge/cc-host";
import { disksIn } from "./disks.js";
import { FurnaceBank } from "./furnace-bank.js";
import { Gate } from "./gate.js";

export const HOME: Position = { x: 100, y: 12, z: -40 };
export const CHEST: Position = { x: 100, y: 12, z: -39 };
export const ORES: readonly Position[] = [
  { x: 103, y: 12, z: -43 },
  { x: 103, y: 13, z: -43 },
  { x: 98, y: 11, z: -41 },
];

export const diskOf = disksIn(fileURLToPath(new URL("./disks/", import.meta.url)));

const item = (name: string, count: number) => ({ name: `minecraft:${name}`, count });

const STORED: readonly Record<number, ReturnType<typeof item>>[] = [
  { 1: item("cobblestone", 64), 3: item("iron_ingot", 37), 9: item("torch", 12) },
  { 2: item("raw_iron", 20), 5: item("iron_ingot", 64), 6: item("iron_ingot", 9) },
  { 1: item("oak_log", 31), 2: item("bread", 7), 20: item("gold_ingot", 15) },
  { 4: item("iron_nugget", 8), 11: item("coal", 50), 27: item("iron_ingot", 1) },
  { 1: item("redstone", 44), 2: item("iron_ingot", 5) },
];

export interface Base {
  readonly world: World;
  readonly computers: Readonly<Record<Label, PlacedComputer>>;
  readonly chests: readonly Inventory[];
  readonly monitor: ReturnType<typeof monitorPeripheral>;
  readonly furnaces: FurnaceBank;
  readonly gate: Gate;
}

type Label = "storage" | "gate" | "miner" | "furnace" | "farm" | "greenhouse" | "hall";

export async function buildBase(ticksPerSecond: number): Promise<Base> {
  const world = await createWorld({ time: "real", ticksPerSecond, httpRules: allowAll });
  const place = (id: number, label: Label, options: PlacedComputerOptions = {}) =>
    world.computer({ id, label, files: diskOf(label), ...options });
  const computers = {
    storage: place(3, "storage"),
    gate: place(5, "gate"),
    miner: place(8, "miner", {
      kind: "turtle",
      turtle: { position: HOME, facing: "north", fuel: 12, items: { 16: item("coal", 5) } },
    }),
    furnace: place(11, "furnace"),
    farm: place(14, "farm"),
    greenhouse: place(15, "greenhouse", { advanced: true }),
    hall: place(21, "hall", { advanced: true }),
  };
  const network = new WiredNetwork();
  const chests = STORED.map((items) => inventoryPeripheral({ items }, network));
  for (const chest of chests) network.add(chest);
  network.connect(computers.storage, "back");
  const monitor = monitorPeripheral(29, 12);
  computers.hall.attach("right", monitor);
  const furnaces = new FurnaceBank();
  computers.furnace.attach("back", furnaces);
  const gate = new Gate(computers.gate);
  computers.gate.extend(gate);
  buryOres(world);
  return { world, computers, chests, monitor, furnaces, gate };
}

function buryOres(world: World): void {
  for (let x = 94; x <= 108; x++) {
    for (let y = 8; y <= 17; y++) {
      for (let z = -48; z <= -36; z++) {
        world.blocks.set({ x, y, z }, { name: "minecraft:stone", drops: [item("cobblestone", 1)] });
      }
    }
  }
  for (const at of ORES) {
    world.blocks.set(at, { name: "minecraft:diamond_ore", drops: [item("diamond", 1)] });
  }
  world.blocks.set(CHEST, { name: "minecraft:chest", inventory: new Array(27).fill(undefined) });
  world.blocks.remove(HOME);
}
