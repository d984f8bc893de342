import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { inventoryPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

const file = fileURLToPath(new URL("../../../../docs/pictures/screen.png", import.meta.url));

const stockList = `
local totals, names = {}, {}
for _, chest in ipairs({ peripheral.find("inventory") }) do
  for _, item in pairs(chest.list()) do
    local name = item.name:gsub("^.*:", ""):gsub("_", " ")
    if not totals[name] then names[#names + 1] = name end
    totals[name] = (totals[name] or 0) + item.count
  end
end
table.sort(names, function(a, b) return totals[a] > totals[b] end)

local width, height = term.getSize()
local function line(y, text, fg, bg)
  term.setCursorPos(1, y)
  term.setTextColour(fg)
  term.setBackgroundColour(bg)
  term.clearLine()
  term.write(text)
end
term.setBackgroundColour(colours.black)
term.clear()
line(1, " Stock of the base", colours.white, colours.blue)
local bars = { colours.cyan, colours.orange, colours.lime, colours.yellow, colours.red, colours.purple }
for index, name in ipairs(names) do
  local y = 1 + index * 2
  line(y, (" %-14s"):format(name), colours.lightGrey, colours.black)
  local length = math.max(1, math.floor(totals[name] / totals[names[1]] * (width - 24)))
  term.setBackgroundColour(bars[(index - 1) % #bars + 1])
  term.write((" "):rep(length))
  term.setBackgroundColour(colours.black)
  term.setTextColour(colours.white)
  term.write(" " .. totals[name])
end
line(height, " #12 base  -  any key ends", colours.grey, colours.black)
term.setCursorPos(width, height)
os.pullEvent("key")
`;

it("a program of an AI client draws what is in the chests", async () => {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, { label: "base", advanced: true });
  const network = new WiredNetwork();
  const chest = (items: Record<number, { name: string; count: number }>) =>
    network.add(inventoryPeripheral({ items }, network));
  const item = (name: string, count: number) => ({ name: `minecraft:${name}`, count });
  chest({ 1: item("cobblestone", 64), 2: item("cobblestone", 64), 3: item("coal", 41) });
  chest({ 1: item("iron_ingot", 64), 2: item("iron_ingot", 28), 9: item("redstone", 37) });
  chest({ 1: item("cobblestone", 22), 4: item("wheat_seeds", 19), 5: item("gold_ingot", 11) });
  network.connect(computer, "back");

  const client = await connectClient(bridge.mcpUrl);
  const written = { computerId: 12, path: "/stock.lua", content: stockList };
  expect((await callTool(client, "write-file", written)).isError).not.toBe(true);
  const started = await callTool(client, "run-program", { computerId: 12, command: "stock" });
  const jobId = /\bjob ([\w-]+)/.exec(started.text)?.[1] ?? expect.unreachable(started.text);
  await expect
    .poll(async () => (await callTool(client, "read-screen", { jobId })).text)
    .toContain("any key ends");

  const shown = await client.callTool({ name: "read-screen", arguments: { jobId, image: true } });
  const content = shown.content as { type: string; data?: string }[];
  const png = Buffer.from(content.find(({ type }) => type === "image")?.data ?? "", "base64");
  if (process.env.npm_lifecycle_event === "write-docs") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, png);
  }
  const size = (picture: Buffer) => [picture.readUInt32BE(16), picture.readUInt32BE(20)];
  expect(size(readFileSync(file))).toEqual(size(png));
});
