import {
  allowAll,
  createWorld,
  inventoryPeripheral,
  monitorPeripheral,
  type PlacedComputerOptions,
  WiredNetwork,
  type World,
} from "@ccbridge/cc-host";
import { programText } from "@ccbridge/lua-agent";
import { harvest, lock, quarryTool, reactor, sortTool, stock } from "./programs.js";
import { openRelay } from "./relay.js";

/** Computers, turtles, chests and a monitor that link to the bridge, and one that waits to be let in. */
export async function buildBase(linkUrl: string): Promise<{ leave(): void }> {
  const world = await createWorld({ time: "real", httpRules: allowAll });
  fillGround(world);
  const base = await place(world, linkUrl, {
    id: 12,
    label: "base",
    advanced: true,
    files: { "/stock.lua": stock, "/mcp-tools/sort-chests.lua": sortTool },
  });
  const network = new WiredNetwork();
  const item = (name: string, count: number) => ({ name: `minecraft:${name}`, count });
  for (const items of [
    { 1: item("cobblestone", 64), 2: item("cobblestone", 64), 3: item("coal", 41) },
    { 1: item("iron_ingot", 64), 2: item("iron_ingot", 28), 9: item("redstone", 37) },
    { 1: item("oak_log", 48), 5: item("wheat_seeds", 3) },
  ]) {
    network.add(inventoryPeripheral({ items }, network));
  }
  network.connect(base, "back");
  base.attach("top", monitorPeripheral(29, 12));
  await place(world, linkUrl, {
    id: 13,
    label: "reactor",
    advanced: true,
    files: { "/reactor.lua": reactor },
  });
  await place(world, linkUrl, { id: 14, label: "gate", files: { "/lock.lua": lock } });
  await place(world, linkUrl, {
    ...{ id: 21, label: "quarry", kind: "turtle", advanced: true },
    files: { "/mcp-tools/dig-shaft.lua": quarryTool },
    turtle: {
      fuel: 1_843,
      position: { x: 112, y: 64, z: -30 },
      items: { 1: item("cobblestone", 64), 2: item("deepslate_redstone_ore", 23) },
    },
  });
  await place(world, linkUrl, {
    ...{ id: 22, label: "farm", kind: "turtle" },
    files: { "/harvest.lua": harvest },
    turtle: { fuel: 37, position: { x: 96, y: 64, z: -8 }, items: { 1: item("wheat_seeds", 3) } },
  });
  const lumber = await place(world, linkUrl, {
    ...{ id: 23, label: "lumber", kind: "turtle" },
    turtle: { fuel: 640, position: { x: 80, y: 64, z: 12 } },
  });
  const visitor = await openRelay(linkUrl);
  await place(world, visitor, { id: 77, label: "alex-pocket", kind: "pocket" }, false);
  return { leave: () => lumber.shutdown() };
}

async function place(
  world: World,
  linkUrl: string,
  options: PlacedComputerOptions,
  mustLink = true,
) {
  const files = { "/mcp-computer.lua": programText, ...options.files };
  const computer = world.computer({ ...options, files });
  computer.turnOn();
  await computer.until(() => /(^|\n)[\w/]*>\s*$/.test(computer.screen.text()));
  computer.type(`mcp-computer ${linkUrl}\n`);
  if (mustLink) await computer.until(() => /linked/i.test(computer.screen.text()));
  return computer;
}

function fillGround(world: World): void {
  for (let x = 104; x < 128; x++) {
    for (let y = 30; y < 64; y++) {
      world.blocks.set({ x, y, z: -30 }, y % 9 === 0 ? "minecraft:iron_ore" : "minecraft:stone");
    }
  }
}
