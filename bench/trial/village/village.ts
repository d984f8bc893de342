import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  allowAll,
  createWorld,
  type Inventory,
  inventoryPeripheral,
  type LuaData,
  monitorPeripheral,
  type Peripheral,
  type PlacedComputer,
  type PlacedComputerOptions,
  type Position,
  WiredNetwork,
  type World,
} from "@ccbridge/cc-host";
import { disksIn } from "../disks.js";

const villageDisks = disksIn(fileURLToPath(new URL("./disks/", import.meta.url)));

const item = (name: string, count: number) => ({ name: `minecraft:${name}`, count });

const STORED: readonly Record<number, ReturnType<typeof item>>[] = [
  { 1: item("iron_ingot", 40), 2: item("coal", 31) },
  { 3: item("iron_ingot", 17), 9: item("bread", 12) },
  { 2: item("coal", 19), 5: item("raw_iron", 64) },
];

export const DIGGERS = ["digger1", "digger2", "digger3"] as const;
const TUNNEL = 4;

type Label =
  | (typeof DIGGERS)[number]
  | "cellar"
  | "barn"
  | "mill"
  | "gate"
  | "hall"
  | "farm"
  | "greenhouse"
  | "office";

/** A peripheral that notes how it was called. */
interface Noting<T> extends Peripheral {
  readonly noted: T[];
}

function chatBox(): Noting<{ readonly text: string; readonly to: string | undefined }> {
  const noted: { text: string; to: string | undefined }[] = [];
  const say = (text: LuaData, to?: LuaData) => {
    noted.push({ text: String(text), to: to === undefined ? undefined : String(to) });
    return true;
  };
  const methods = {
    sendMessage: (text: LuaData) => say(text),
    sendMessageToPlayer: (text: LuaData, to: LuaData) => say(text, to),
  };
  return { types: ["chat_box"], methods, noted };
}

function valve(): Noting<number> {
  const noted: number[] = [];
  const open = (minutes: LuaData) => {
    noted.push(Number(minutes));
    return `the valve was open for ${Number(minutes)} minutes`;
  };
  return { types: ["valve"], methods: { open }, noted };
}

/** Never the same twice, so that only the board knows what it shows. */
function flourScale(): Peripheral {
  return { types: ["flour_scale"], methods: { weigh: () => randomInt(1_000, 10_000) } };
}

export interface Village {
  readonly world: World;
  readonly computers: Readonly<Record<Label, PlacedComputer>>;
  readonly chests: readonly Inventory[];
  readonly monitors: Readonly<Record<"cellar" | "mill", ReturnType<typeof monitorPeripheral>>>;
  readonly chat: ReturnType<typeof chatBox>;
  readonly valve: ReturnType<typeof valve>;
}

export function homeOf(index: number): Position {
  return { x: 200 + 4 * index, y: 30, z: 0 };
}

export function tunnelOf(index: number): readonly Position[] {
  const { x, y } = homeOf(index);
  return Array.from({ length: TUNNEL }, (_, step) => ({ x, y, z: -1 - step }));
}

export async function buildVillage(ticksPerSecond: number): Promise<Village> {
  const world = await createWorld({ time: "real", ticksPerSecond, httpRules: allowAll });
  const place = (id: number, label: Label, options: PlacedComputerOptions = {}) =>
    world.computer({ id, label, files: villageDisks(label), ...options });
  const digger = (index: number) =>
    place(21 + index, DIGGERS[index] ?? "digger1", {
      kind: "turtle",
      turtle: { position: homeOf(index), facing: "north", fuel: 100 },
    });
  for (let x = 198; x <= 212; x++) {
    for (let z = -8; z <= -1; z++) {
      const block = { name: "minecraft:stone", drops: [item("cobblestone", 1)] };
      for (let y = 29; y <= 31; y++) world.blocks.set({ x, y, z }, block);
    }
  }
  const computers = {
    cellar: place(3, "cellar"),
    barn: place(5, "barn"),
    mill: place(8, "mill", { advanced: true }),
    gate: place(11, "gate"),
    hall: place(14, "hall", { advanced: true }),
    farm: place(15, "farm"),
    greenhouse: place(18, "greenhouse"),
    office: place(20, "office", { advanced: true }),
    digger1: digger(0),
    digger2: digger(1),
    digger3: digger(2),
  };
  const network = new WiredNetwork();
  const chests = STORED.map((items) => inventoryPeripheral({ items }, network));
  for (const chest of chests) network.add(chest);
  network.connect(computers.cellar, "back");
  const monitors = { cellar: monitorPeripheral(18, 5, false), mill: monitorPeripheral(29, 12) };
  computers.cellar.attach("top", monitors.cellar);
  computers.mill.attach("right", monitors.mill);
  computers.mill.attach("back", flourScale());
  const chat = chatBox();
  computers.hall.attach("left", chat);
  const water = valve();
  computers.farm.attach("bottom", water);
  return { world, computers, chests, monitors, chat, valve: water };
}
