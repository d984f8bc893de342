import { fileURLToPath } from "node:url";
import { allowAll, createWorld, inventoryPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import { guideParts, guideText } from "@ccbridge/mcp-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { guideChecks } from "./guide-checks.js";

const skill = fileURLToPath(
  new URL("../../../../packaging/claude-code/skills/computercraft-lua/SKILL.md", import.meta.url),
);

const rules = guideParts.flatMap((part) => Object.keys(part.rules));

const prelude = `
local function save(path, text)
  local file = fs.open(path, "w") file.write(text) file.close()
end
local function check()
`;

/** Runs a check in the game's Lua. Returns what it failed with. */
async function failureOf(check: string): Promise<string> {
  const world = await createWorld({ httpRules: allowAll, cpuClock: { instructionsPerMs: 1_000 } });
  onTestFinished(() => world.close());
  world.blocks.set({ x: 0, y: 64, z: -1 }, "minecraft:stone");
  const turtle = world.computer({
    id: 5,
    kind: "turtle",
    turtle: { items: { 3: { name: "minecraft:coal", count: 8 } } },
    files: {
      "/startup.lua": 'fs.open("/started", "w").close()',
      "/startup/more.lua": 'fs.open("/started-too", "w").close()',
      "/check.lua": `${prelude}${check}
end
local ok, problem = pcall(check)
local file = fs.open("/out", "w") file.write(ok and "" or tostring(problem)) file.close()`,
    },
  });
  const network = new WiredNetwork();
  const items = {
    2: { name: "minecraft:coal", count: 8 },
    5: { name: "minecraft:dirt", count: 4 },
  };
  network.add(inventoryPeripheral({ items }, network));
  network.add(inventoryPeripheral({}, network));
  network.connect(turtle, "back");
  world.radio.attach(turtle, "left");
  turtle.turnOn();
  await turtle.idle();
  turtle.type("check\n");
  await world.advanceUntil(() => turtle.fs.exists("/out") && !turtle.isBusy);
  return turtle.fs.read("/out");
}

describe("the guide to the game's Lua", () => {
  it("has a check for each rule", () => {
    expect(Object.keys(guideChecks)).toEqual(rules);
  });

  it.each(rules)("is right about %s", async (rule) => {
    expect(await failureOf(guideChecks[rule] ?? "")).toBe("");
  });

  it("is short", () => {
    expect(guideText().length).toBeLessThan(6_000);
  });

  it("is the skill of the plugin", async () => {
    const text = `---
name: computercraft-lua
description: What is different in the Lua of ComputerCraft (CC:Tweaked) in Minecraft. Use before writing or fixing Lua for its computers and turtles, with the tools of ccbridge or without.
---

# Lua in ComputerCraft

${guideText()}
`;
    await expect(text).toMatchFileSnapshot(skill);
  });
});
