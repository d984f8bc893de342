import type { Tool } from "../define-tool.js";
import { listComputers, probeComputers } from "./computers.js";
import { getEvents, waitForEvent, watchEvents } from "./events.js";
import { filesTools } from "./files.js";
import { click, pressKeys, sendEvent, typeText } from "./input.js";
import { listInventory } from "./inventory.js";
import { cancelJob, getJob, listJobs } from "./jobs.js";
import { rebootComputer, setLabel, shutdownComputer } from "./life.js";
import { execLua } from "./lua.js";
import { callPeripheral, listPeripherals } from "./peripherals.js";
import { redstone } from "./redstone.js";
import { readScreen, runProgram } from "./screen.js";
import { setPosition, turtleStatus } from "./turtle.js";
import { turtleRun } from "./turtle-run.js";

/** The tools by group, in the order in which clients list them. An owner picks groups by name. */
export const toolGroups = {
  core: [listComputers, probeComputers, execLua, getJob, cancelJob, listJobs],
  files: filesTools,
  peripherals: [listPeripherals, callPeripheral, listInventory, redstone],
  turtle: [turtleStatus, setPosition, turtleRun],
  screen: [runProgram, readScreen, typeText, pressKeys, click, sendEvent],
  events: [watchEvents, getEvents, waitForEvent],
  life: [setLabel, rebootComputer, shutdownComputer],
} as const satisfies Record<string, readonly Tool[]>;

export type ToolGroup = keyof typeof toolGroups;

export const toolGroupNames = Object.keys(toolGroups) as ToolGroup[];

/** Every tool. */
export const tools: readonly Tool[] = Object.values(toolGroups).flat();

/** The five most useful tools, for clients with little room. */
export const slimTools: readonly Tool[] = [
  listComputers,
  execLua,
  getJob,
  cancelJob,
  probeComputers,
];

/** The tools of some groups; `all` and `slim` are names too. */
export function selectTools(names: readonly (ToolGroup | "all" | "slim")[]): readonly Tool[] {
  if (names.includes("all")) return tools;
  const picked = new Set<Tool>(names.includes("slim") ? slimTools : []);
  for (const name of names) {
    if (name !== "all" && name !== "slim") for (const tool of toolGroups[name]) picked.add(tool);
  }
  return tools.filter((tool) => picked.has(tool));
}
