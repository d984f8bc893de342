import { inventoryPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

const stack = (name: string, count: number) => ({ name: `minecraft:${name}`, count });

async function game() {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world);
  const network = new WiredNetwork();
  network.add(
    inventoryPeripheral(
      { items: { 2: stack("iron_ingot", 40), 5: stack("coal", 8), 9: stack("iron_ore", 3) } },
      network,
    ),
  );
  network.add(inventoryPeripheral({ items: { 1: stack("iron_ingot", 60) } }, network));
  network.add(inventoryPeripheral({ size: 1, items: {} }, network));
  network.connect(computer, "back");
  computer.attach("left", inventoryPeripheral({ items: { 1: stack("iron_ingot", 5) } }, network));
  const client = await connectClient(bridge.mcpUrl);
  const move = (args: Record<string, unknown>) =>
    callTool(client, "move-items", { computerId: 12, ...args });
  const totals = async (name: string) => {
    const { text } = await callTool(client, "list-inventory", { computerId: 12, names: [name] });
    return text.split("\n")[1];
  };
  return { move, totals };
}

const [first, second, small] = [0, 1, 2].map((n) => `minecraft:chest_${n}`) as [
  string,
  string,
  string,
];

describe("move-items", () => {
  it("takes as many as requested from all others, and says from where", async () => {
    const { move, totals } = await game();
    const { text, isError } = await move({ item: "iron_ingot", to: first, count: 50 });
    expect(isError, text).toBeUndefined();
    expect(text).toContain(`moved 50 minecraft:iron_ingot to ${first} (50 from ${second})`);
    expect(text).toContain(
      `now ${first} holds 90 minecraft:iron_ingot; ${second} holds 10 minecraft:iron_ingot`,
    );
    expect(text).not.toContain("Returned");
    expect(await totals(first)).toContain("90 minecraft:iron_ingot");
    expect(await totals(second)).toContain("10 minecraft:iron_ingot");
  });

  it("moves everything that a star fits", async () => {
    const { move } = await game();
    const { text } = await move({ item: "iron_*", to: second, from: first });
    expect(text).toContain(fill(texts.movedMinecraftIronIngotMinecraft, second, first));
  });

  it("reports a partial move exactly", async () => {
    const { move, totals } = await game();
    const { text, isError } = await move({ item: "minecraft:iron_ingot", to: small });
    expect(isError).toBe(true);
    expect(text).toContain(`now ${small} holds 64 minecraft:iron_ingot; `);
    expect(text).toContain(fill(texts.movedMinecraftIronIngotTo, small, first, second, small));
    expect(await totals(second)).toContain("36 minecraft:iron_ingot");
    const few = await move({ item: "coal", to: second, count: 10 });
    expect(few.isError).toBe(true);
    expect(few.text).toContain("which is 8 of 10: there are only 8");
  });

  it.each([
    [
      { item: "iron", to: second },
      "no iron in 2 inventories; there is minecraft:iron_ingot, minecraft:iron_ore",
    ],
    [{ item: "coal", to: "minecraft:chest_9" }, "there is no inventory named minecraft:chest_9"],
    [{ item: "coal", to: "back" }, "back is not an inventory: it is modem"],
    [
      { item: "iron_ingot", to: "left", from: first },
      "only between inventories of one wired network",
    ],
    [
      { item: "iron_ingot", to: "left" },
      "there is no other inventory to take items from. Nothing was moved",
    ],
    [{ item: "iron_ingot", to: first, count: 0 }, "`count` must be at least 1"],
  ])("with %j moves nothing and says why", async (args, problem) => {
    const { move, totals } = await game();
    const { text, isError } = await move(args);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
    expect(await totals(first)).toContain("40 minecraft:iron_ingot");
  });
});
