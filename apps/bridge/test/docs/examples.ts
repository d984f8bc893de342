import {
  inventoryPeripheral,
  type PlacedComputer,
  type PlacedComputerOptions,
  WiredNetwork,
} from "@ccbridge/cc-host";

export const exampleTurtle: PlacedComputerOptions = {
  id: 12,
  label: "base-turtle",
  files: {
    "/programs/dig.lua": "for i = 1, 3 do\n  turtle.dig()\n  turtle.foward()\nend\n",
    "/programs/lib/fuel.lua": "return function()\n  return turtle.getFuelLevel()\nend\n",
    "/mcp-tools/open-door.lua": `return {
  description = "Opens the door of the base for a while.",
  input = { seconds = { type = "integer", description = "how long", default = 3 } },
  run = function(args) return "open for " .. args.seconds .. " s" end,
}
`,
    "/startup.lua": 'if settings.get("mcp_computer.url") then shell.run("mcp-computer") end',
  },
  turtle: { items: { 1: { name: "minecraft:coal", count: 5 } } },
};

export const exampleFolder: Record<string, string> = {
  "dig.lua": "for i = 1, 8 do\n  turtle.dig()\n  turtle.forward()\nend\n",
  "farm/wheat.lua": 'print("sowing")\n',
};

export function furnish(turtle: PlacedComputer): void {
  const network = new WiredNetwork();
  const items = {
    2: { name: "minecraft:coal", count: 40 },
    5: { name: "minecraft:iron_ingot", count: 12, displayName: "Iron Ingot" },
  };
  network.add(inventoryPeripheral({ items }, network));
  network.add(inventoryPeripheral({ items: {} }, network));
  network.connect(turtle, "back");
}

/**
 * One call of every tool, for the tool reference; they run in the order of the tools. A `jobId` is
 * filled in with the first job, or with the first of the method that it names.
 */
export const examples: Record<string, Record<string, unknown>> = {
  "list-computers": {},
  "probe-computers": {},
  "exec-lua": {
    computerId: 12,
    code: 'print("fuel:", turtle.getFuelLevel()) return turtle.detect()',
  },
  "get-job": { jobId: "", cursor: 0 },
  "cancel-job": { jobId: "" },
  "list-jobs": { state: "done" },
  permissions: {},
  "list-files": { computerId: 12, path: "/programs", recursive: true },
  "read-file": { computerId: 12, path: "/programs/dig.lua" },
  "write-file": { computerId: 12, path: "/programs/hello.lua", content: 'print("hello")\n' },
  "edit-file": {
    computerId: 12,
    path: "/programs/dig.lua",
    oldText: "turtle.foward()",
    newText: "turtle.forward()",
  },
  "delete-file": { computerId: 12, path: "/programs/hello.lua" },
  "copy-file": { computerId: 12, from: "/programs/dig.lua", to: "/programs/dig2.lua" },
  "search-files": {
    computerId: 12,
    query: "turtle.%a+",
    pattern: true,
    path: "/programs",
    context: 1,
  },
  "sync-folder": {
    computerId: 12,
    folder: "scripts",
    computerPath: "/programs",
    direction: "to-computer",
  },
  "list-peripherals": { computerId: 12 },
  "call-peripheral": {
    computerId: 12,
    calls: [
      { name: "minecraft:chest_0", method: "getItemDetail", args: [5] },
      { name: "minecraft:chest_0", method: "size" },
    ],
  },
  "list-inventory": { computerId: 12 },
  "move-items": { computerId: 12, item: "coal", to: "minecraft:chest_1", count: 5 },
  redstone: { computerId: 12, side: "back", strength: 7 },
  "turtle-status": { computerId: 12 },
  "turtle-run": { computerId: 12, steps: ["select 1", "refuel 1", "forward 2", "inspectDown"] },
  "set-position": { computerId: 12, x: 100, y: 64, z: -20, facing: "north" },
  "run-program": { computerId: 12, command: "lua" },
  "read-screen": { jobId: "run-program" },
  "send-input": {
    jobId: "run-program",
    steps: [{ text: "turtle.getFuelLevel()\n" }],
    waitFor: "78",
  },
  "watch-events": {
    computerId: 12,
    events: ["redstone", { name: "chat", filter: { "1": "Steve" } }],
  },
  "get-events": { computerId: 12, cursor: 0, limit: 10 },
  "wait-for-event": { computerId: 12, name: "redstone", waitMs: 100 },
  "list-offered-tools": {},
  "create-alert": { event: "redstone", provider: 12, filter: { left: true }, message: "The door" },
  "get-history": { provider: 12, file: "hello.lua", tool: "write-file" },
  "list-changes": { file: "hello.lua" },
  "undo-change": { file: "hello.lua", dryRun: true },
  "call-offered-tool": { name: "open-door", arguments: { seconds: 5 } },
  "list-servers": {},
  execute_command: { command: "time set day" },
  execute_commands: { commands: ["time set day", "weather clear"] },
  set_blocks: { blocks: ["4 64 4 minecraft:torch"] },
  fill_blocks: {
    from: "0 64 0",
    to: "2 64 2",
    block: "minecraft:oak_planks",
    dryRun: true,
  },
  find_blocks: {
    from: "0 0 -16",
    to: "15 31 15",
    block: "minecraft:diamond_ore",
  },
  send_message: { message: "The train leaves in a minute.", target: "Steve" },
  teleport_player: { player: "Steve", x: 10.5, y: 64, z: -3, world: "minecraft:overworld" },
  give_item: { player: "Steve", item: "minecraft:bread", quantity: 3 },
  get_online_players: {},
  get_player_info: { player: "Steve" },
  get_server_info: {},
  get_world_info: { x: 0, y: 64, z: 0, radius: 4 },
  "get-server-events": { types: ["player_join", "player_chat"] },
  "wait-for-server-event": { types: ["player_death"], waitMs: 100 },
  "set-label": { computerId: 12, label: "miner" },
  "power-computer": { computerId: 12, action: "reboot" },
  // Last, because the computer does not answer after this.
};
