import {
  inventoryPeripheral,
  type PlacedComputer,
  type PlacedComputerOptions,
  WiredNetwork,
} from "@ccbridge/cc-host";

/** The turtle on which the examples of the tool reference run. */
export const exampleTurtle: PlacedComputerOptions = {
  id: 12,
  label: "base-turtle",
  // It links again after the reboot.
  files: {
    "/startup.lua": 'if settings.get("mcp_computer.url") then shell.run("mcp-computer") end',
  },
  turtle: { items: { 1: { name: "minecraft:coal", count: 5 } } },
};

/** Puts things around it that the examples look at. */
export function furnish(turtle: PlacedComputer): void {
  const network = new WiredNetwork();
  const items = {
    2: { name: "minecraft:coal", count: 40 },
    5: { name: "minecraft:iron_ingot", count: 12, displayName: "Iron Ingot" },
  };
  network.add(inventoryPeripheral({ items }, network));
  network.connect(turtle, "back");
}

/**
 * One call of every tool, for the tool reference; they run in the order of the tools. A `jobId` is filled
 * in with the first job.
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
  "list-peripherals": { computerId: 12 },
  "call-peripheral": {
    computerId: 12,
    calls: [
      { name: "minecraft:chest_0", method: "getItemDetail", args: [5] },
      { name: "minecraft:chest_0", method: "size" },
    ],
  },
  "list-inventory": { computerId: 12 },
  redstone: { computerId: 12, side: "back", strength: 7 },
  "turtle-status": { computerId: 12 },
  "turtle-run": { computerId: 12, steps: ["select 1", "refuel 1", "forward 2", "inspectDown"] },
  "set-position": { computerId: 12, x: 100, y: 64, z: -20, facing: "north" },
  "set-label": { computerId: 12, label: "miner" },
  "reboot-computer": { computerId: 12 },
  // Nothing answers after this one: its group is the last.
  "shutdown-computer": { computerId: 12 },
};
