import { inventoryPeripheral, monitorPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { linkExampleServer } from "../server/example-server.js";
import { FakeMod } from "../server/fake-mod.js";

export const stock = `
local rows = { { "cobblestone", 150, colours.cyan }, { "iron ingot", 92, colours.orange },
  { "coal", 41, colours.lime }, { "redstone", 37, colours.red }, { "wheat seeds", 19, colours.yellow } }
term.setBackgroundColour(colours.black) term.clear()
term.setCursorPos(1, 1) term.setBackgroundColour(colours.blue) term.clearLine() write(" Stock of the base")
for index, row in ipairs(rows) do
  term.setBackgroundColour(colours.black) term.setTextColour(colours.lightGrey)
  term.setCursorPos(2, 1 + index * 2) write(row[1])
  term.setCursorPos(16, 1 + index * 2) term.setBackgroundColour(row[3]) write((" "):rep(math.ceil(row[2] / 6)))
  term.setBackgroundColour(colours.black) term.setTextColour(colours.white) write(" " .. row[2])
end
term.setCursorPos(2, 19) term.setTextColour(colours.grey) write("any key ends")
os.pullEvent("key")
`;

/** An owner, and a client that must ask. */
export const tokens = ["owner-token name=owner", "helper-token name=helper mode=ask"];
export const OWNER = "owner-token";
export const SERVER_TOKEN = "a-good-server-token";
export const webOrigin = "http://localhost:5173";

export async function furnish(bridge: TestBridge) {
  const world = await startWorld();
  const base = await linkGameComputer(bridge, world, {
    label: "base",
    advanced: true,
    files: {
      "/stock.lua": stock,
      "/startup.lua": '-- Starts the agent with the computer.\nshell.run("mcp-computer")\n',
      "/lib/doors.lua":
        "local doors = {}\n\n--- Opens a door for a few seconds.\nfunction doors.open(side, seconds)\n  redstone.setOutput(side, true)\n  sleep(seconds or 3)\n  redstone.setOutput(side, false)\nend\n\nreturn doors\n",
    },
  });
  const network = new WiredNetwork();
  const item = (name: string, count: number) => ({ name: `minecraft:${name}`, count });
  for (const items of [
    { 1: item("cobblestone", 64), 2: item("cobblestone", 64), 3: item("coal", 41) },
    { 1: item("iron_ingot", 64), 2: item("iron_ingot", 28), 9: item("redstone", 37) },
  ]) {
    network.add(inventoryPeripheral({ items }, network));
  }
  network.connect(base, "back");
  base.attach("top", monitorPeripheral(29, 12));
  const turtle = await linkGameComputer(bridge, world, {
    id: 21,
    label: "miner",
    kind: "turtle",
    advanced: true,
    turtle: {
      fuel: 1_843,
      items: {
        1: { name: "minecraft:cobblestone", count: 64 },
        2: { name: "minecraft:deepslate_redstone_ore", count: 23 },
        3: { name: "minecraft:coal", count: 41 },
        16: { name: "minecraft:torch", count: 12 },
      },
    },
  });
  await linkGameComputer(bridge, world, {
    id: 22,
    label: "quarry turtle with a name that is longer than most",
    kind: "turtle",
    turtle: { fuel: 12 },
  });
  for (const [id, label] of ["gate", "reactor", "farm-1", "farm-2", "lift", "library"].entries()) {
    await linkComputer(bridge.linkUrl, { computerId: 30 + id, label, world: "survival" });
  }
  const serverPlace = { url: `${bridge.linkUrl}/minecraft`, token: SERVER_TOKEN };
  await linkExampleServer({ link: (options) => FakeMod.dial({ ...serverPlace, ...options }) });
  const gone = await linkComputer(bridge.linkUrl, { computerId: 40, label: "old-mine" });
  gone.socket.terminate();
  const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer ${OWNER}` });
  const place = { computerId: 21, x: 112, y: 64, z: -30, facing: "north" };
  await callTool(client, "set-position", place);
  await callTool(client, "run-program", { computerId: 12, command: "stock" });
  const code =
    'for i = 1, 1000 do print("sorted " .. i .. " stacks into chest " .. (i % 4 + 1)) sleep(0.5) end';
  await callTool(client, "exec-lua", { computerId: 12, code, waitMs: 0 });
  await callTool(client, "watch-events", { computerId: 12, events: ["redstone", "door_*"] });
  base.queueEvent("redstone");
  base.queueEvent("door_opened", "north gate", 12, { by: "a player" });
  base.queueEvent("door_closed", "north gate", 12);
  for (const steps of [
    ["forward 6", "turnRight"],
    ["forward 9", "turnRight"],
    ["forward 3", "turnLeft"],
    ["forward 4", "up 2"],
  ]) {
    await callTool(client, "turtle-run", { computerId: 21, steps });
  }
  await callTool(client, "exec-lua", { computerId: 12, code: "return redstone.getInput('lamp')" });
  await callTool(client, "read-file", { computerId: 12, path: "/startup.lua" });
  const edit = { oldText: "seconds or 3", newText: "seconds or 5" };
  await callTool(client, "edit-file", { computerId: 12, path: "/lib/doors.lua", ...edit });
  const web = await SocketPage.open(`${bridge.pagesUrl}/ws`, webOrigin);
  await web.register({ name: "write", capabilities: ["dom:write", "clipboard:read"] });
  const capabilities = ["dom:write", "clipboard:read"];
  await callTool(client, "__btcp_request_capabilities", { capabilities });
  return { world, base, turtle, client };
}

export async function requestApproval(bridge: TestBridge): Promise<void> {
  const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer helper-token" });
  const [helper] = bridge.clients.list().filter(({ name }) => name === "helper");
  const { key, name } = bridge.computers.find(21).provider;
  if (helper === undefined) return expect.unreachable();
  const targets = [{ key, name }];
  const grantedBy = "owner at the dashboard";
  bridge.permissions.grant(helper, { tool: "turtle-run", targets, grantedBy });
  bridge.permissions.grant(helper, { tool: undefined, targets, grantedBy });
  const code = Array.from(
    { length: 40 },
    (_, line) => `redstone.setOutput("back", ${line % 2 === 0}) sleep(${line})`,
  ).join("\n");
  callTool(client, "exec-lua", { computerId: [12, 21, 22], code }).catch(() => {});
}

export const views: readonly {
  name: string;
  open(page: Page): Promise<void>;
}[] = [
  {
    name: "home",
    open: async (page) => {
      await go(page, "Home");
      await page.locator(".tile canvas").first().waitFor();
      const needs = page.getByRole("region", { name: "Needs you" });
      await needs.getByText("has only 12 fuel left").waitFor();
      await page.getByText(/started stock on base/).waitFor();
    },
  },
  {
    name: "away",
    open: async (page) => {
      await go(page, "Fleet");
      await page.getByRole("link", { name: /old-mine/ }).click();
      await page.getByText("Not linked at the moment").waitFor();
    },
  },
  {
    name: "fleet",
    open: async (page) => {
      await go(page, "Fleet");
      await page.getByRole("link", { name: /old-mine/ }).waitFor();
    },
  },
  {
    name: "page",
    open: async (page) => {
      await go(page, "Fleet");
      await page.getByRole("link", { name: /localhost:5173/ }).click();
      await page.getByText("write", { exact: true }).first().waitFor();
    },
  },
  {
    name: "server",
    open: async (page) => {
      await go(page, "Fleet");
      await page.getByRole("link", { name: /^survival/ }).click();
      await page.getByText("is the train still running?").waitFor();
    },
  },
  {
    name: "no-screen",
    open: async (page) => {
      await go(page, "Fleet");
      await page.getByRole("link", { name: /^miner/ }).click();
      await page.getByRole("link", { name: "Screens" }).click();
      await page.getByText("Nothing to see here yet.").waitFor();
    },
  },
  { name: "screen", open: (page) => tab(page, "Screens", "canvas") },
  { name: "jobs", open: (page) => tab(page, "Jobs", "text=/sorted \\d+/") },
  {
    name: "files",
    open: async (page) => {
      await tab(page, "Files", "text=startup.lua");
      await page.getByRole("button", { name: "lib/" }).click();
      await page.getByRole("button", { name: "doors.lua" }).click();
      await page.getByRole("textbox", { name: "The file /lib/doors.lua" }).waitFor();
    },
  },
  {
    name: "versions",
    open: async (page) => {
      await page.getByRole("button", { name: "Versions" }).click();
      await page.getByText(/when edit-file by owner changed/).waitFor();
      await page.getByRole("button", { name: "Compare and restore" }).click();
      await page.getByRole("region", { name: "What undoing would do" }).waitFor();
    },
  },
  {
    name: "unsaved",
    open: async (page) => {
      await page.getByRole("button", { name: "Versions" }).click();
      await page.getByRole("textbox", { name: "The file /lib/doors.lua" }).press("Control+End");
      await page.keyboard.type("-- closes too");
      await page.getByRole("link", { name: "Files 1 unsaved" }).waitFor();
    },
  },
  {
    name: "question",
    open: async (page) => {
      await page.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "events",
    open: async (page) => {
      await page.getByRole("button", { name: "Discard it" }).click();
      await tab(page, "Events", "text=north gate");
    },
  },
  { name: "peripherals", open: (page) => tab(page, "Peripherals", "text=iron ingot") },
  {
    name: "turtle",
    open: async (page) => {
      await go(page, "Fleet");
      await page.getByRole("link", { name: /miner/ }).click();
      await page.locator(".trail").waitFor();
    },
  },
  {
    name: "activity",
    open: async (page) => {
      await go(page, "Activity");
      await page.getByRole("button", { name: "This call" }).waitFor();
      await page.getByRole("button", { name: /^Revoke turtle-run/ }).waitFor();
    },
  },
  {
    name: "call",
    open: async (page) => {
      await page.getByRole("searchbox").fill("sorted");
      await page.locator("details.task[open]").first().waitFor();
      await page.locator("details.call summary").first().click();
      await page.locator("details.call .output").first().scrollIntoViewIfNeeded();
    },
  },
  {
    name: "undo",
    open: async (page) => {
      await page.getByRole("searchbox").fill("doors.lua");
      await page.getByRole("button", { name: /^Undo \/lib\/doors\.lua/ }).click();
      const preview = page.getByRole("region", { name: "What undoing would do" });
      await preview.getByText("seconds or 3").waitFor();
      await preview.scrollIntoViewIfNeeded();
    },
  },
  {
    name: "clients",
    open: async (page) => {
      await go(page, "Clients");
      await page
        .getByRole("button", { name: /End the session/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "numbers",
    open: async (page) => {
      await go(page, "Numbers");
      await page.locator(".uplot canvas").first().waitFor();
    },
  },
  {
    name: "settings",
    open: async (page) => {
      await go(page, "Settings");
      await page.getByRole("heading", { name: "Notifications" }).waitFor();
    },
  },
  {
    name: "settings-below",
    open: async (page) => {
      await page.getByRole("heading", { name: "Approved computers" }).waitFor();
      await page.getByText("What you change here").scrollIntoViewIfNeeded();
    },
  },
  {
    name: "connect",
    open: async (page) => {
      await go(page, "Connect");
      await page.getByText("wget run").waitFor();
      await page.getByText("Domain not permitted").click();
    },
  },
];

async function go(page: Page, name: string): Promise<void> {
  const parts = page.getByRole("navigation", { name: "Parts of the dashboard" });
  await parts.getByRole("link", { name }).click();
}

async function tab(page: Page, name: string, shown: string): Promise<void> {
  await go(page, "Fleet");
  await page.getByRole("link", { name: /^base/ }).click();
  await page.getByRole("link", { name, exact: true }).click();
  await page.locator(shown).first().waitFor();
  expect(await page.locator(".problem").count()).toBe(0);
}
