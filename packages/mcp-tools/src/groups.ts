import { SCREEN_VIEW_URI } from "@ccbridge/protocol/screen";
import type { Tool } from "./core/define.js";
import { cancelJob } from "./jobs/cancel-job.js";
import { getJob } from "./jobs/get-job.js";
import { listJobs } from "./jobs/list-jobs.js";
import { execLua } from "./kinds/computer/core/exec-lua.js";
import { listComputers } from "./kinds/computer/core/list-computers.js";
import { probeComputers } from "./kinds/computer/core/probe-computers.js";
import { getEvents } from "./kinds/computer/events/get-events.js";
import { waitForEvent } from "./kinds/computer/events/wait-for-event.js";
import { watchEvents } from "./kinds/computer/events/watch-events.js";
import { copyFile } from "./kinds/computer/files/copy-file.js";
import { deleteFile } from "./kinds/computer/files/delete-file.js";
import { editFile } from "./kinds/computer/files/edit-file.js";
import { listFiles } from "./kinds/computer/files/list-files.js";
import { readFile } from "./kinds/computer/files/read-file.js";
import { searchFiles } from "./kinds/computer/files/search-files.js";
import { syncFolder } from "./kinds/computer/files/sync-folder.js";
import { writeFile } from "./kinds/computer/files/write-file.js";
import { callPeripheral } from "./kinds/computer/peripherals/call-peripheral.js";
import { listInventory } from "./kinds/computer/peripherals/list-inventory.js";
import { listPeripherals } from "./kinds/computer/peripherals/list-peripherals.js";
import { moveItems } from "./kinds/computer/peripherals/move-items.js";
import { redstone } from "./kinds/computer/peripherals/redstone.js";
import { powerComputer } from "./kinds/computer/power/power-computer.js";
import { setLabel } from "./kinds/computer/power/set-label.js";
import { readScreen } from "./kinds/computer/screen/read-screen.js";
import { runProgram } from "./kinds/computer/screen/run-program.js";
import { sendInput } from "./kinds/computer/screen/send-input.js";
import { setPosition } from "./kinds/computer/turtle/set-position.js";
import { turtleRun } from "./kinds/computer/turtle/turtle-run.js";
import { turtleStatus } from "./kinds/computer/turtle/turtle-status.js";
import { requestCapabilities } from "./kinds/page/request-capabilities.js";
import { executeCommand } from "./kinds/server/execute-command.js";
import { getOnlinePlayers } from "./kinds/server/get-online-players.js";
import { getPlayerInfo } from "./kinds/server/get-player-info.js";
import { getServerEvents } from "./kinds/server/get-server-events.js";
import { getServerInfo } from "./kinds/server/get-server-info.js";
import { getWorldInfo } from "./kinds/server/get-world-info.js";
import { giveItem } from "./kinds/server/give-item.js";
import { listServers } from "./kinds/server/list-servers.js";
import { sendMessage } from "./kinds/server/send-message.js";
import { teleportPlayer } from "./kinds/server/teleport-player.js";
import { waitForServerEvent } from "./kinds/server/wait-for-server-event.js";
import { callOfferedTool } from "./offers/call-offered-tool.js";
import { listOfferedTools } from "./offers/list-offered-tools.js";
import { permissions } from "./permissions.js";

/** The tools by group, in the order in which clients list them. An owner picks groups by name. */
export const toolGroups = {
  core: [listComputers, probeComputers, execLua, getJob, cancelJob, listJobs, permissions],
  files: [listFiles, readFile, writeFile, editFile, deleteFile, copyFile, searchFiles, syncFolder],
  peripherals: [listPeripherals, callPeripheral, listInventory, moveItems, redstone],
  turtle: [turtleStatus, setPosition, turtleRun],
  screen: [runProgram, readScreen, sendInput],
  events: [watchEvents, getEvents, waitForEvent],
  minecraft: [
    listServers,
    executeCommand,
    sendMessage,
    teleportPlayer,
    giveItem,
    getOnlinePlayers,
    getPlayerInfo,
    getServerInfo,
    getWorldInfo,
    getServerEvents,
    waitForServerEvent,
  ],
  offered: [listOfferedTools, callOfferedTool],
  power: [setLabel, powerComputer],
} as const satisfies Record<string, readonly Tool[]>;

export type ToolGroup = keyof typeof toolGroups;

export const toolGroupNames = Object.keys(toolGroups) as ToolGroup[];

/** Every tool. */
export const tools: readonly Tool[] = Object.values(toolGroups).flat();

/** The names of all built-in tools, even those that only some bridges have. No offered tool gets one of them. */
export const builtInNames: ReadonlySet<string> = new Set(
  [...tools, requestCapabilities].map(({ name }) => name),
);

/** The five most useful tools, for clients with little room. */
export const slimTools: readonly Tool[] = [
  listComputers,
  execLua,
  getJob,
  cancelJob,
  probeComputers,
];

/**
 * The tools of some groups, and those for offered tools; `all` and `slim` are names too. Where no Minecraft
 * server is expected (`servers` is false), the tools for servers are listed only while one is linked. With
 * `folders`, sync-folder names the folders that may be mirrored, and is left out if there are none. With
 * `screenView`, the tools with a screen name the view that shows it.
 */
export function selectTools(
  names: readonly (ToolGroup | "all" | "slim")[],
  {
    servers = true,
    folders,
    screenView = false,
  }: { servers?: boolean; folders?: readonly string[]; screenView?: boolean } = {},
): readonly Tool[] {
  return pickTools(names, servers).flatMap((tool) => {
    if (tool === syncFolder && folders !== undefined) return nameFolders(tool, folders);
    const isShown = screenView && (tool === readScreen || tool === runProgram);
    return isShown ? { ...tool, view: SCREEN_VIEW_URI } : tool;
  });
}

/** The tool with the folders that it may mirror; no tool if there are none. */
function nameFolders(tool: Tool, folders: readonly string[]): readonly Tool[] {
  if (folders.length === 0) return [];
  return [{ ...tool, description: `${tool.description} Allowed: ${folders.join(", ")}.` }];
}

function pickTools(
  names: readonly (ToolGroup | "all" | "slim")[],
  servers: boolean,
): readonly Tool[] {
  if (names.includes("all")) {
    const always = servers || names.includes("minecraft");
    const sometimes = new Set<Tool>(always ? [] : toolGroups.minecraft);
    return tools.map((tool) => (sometimes.has(tool) ? { ...tool, listedWith: "minecraft" } : tool));
  }
  // Always included: clients that never reload the list reach offered tools through these.
  const picked = new Set<Tool>(toolGroups.offered);
  if (names.includes("slim")) for (const tool of slimTools) picked.add(tool);
  for (const name of names) {
    if (name !== "all" && name !== "slim") for (const tool of toolGroups[name]) picked.add(tool);
  }
  return tools.filter((tool) => picked.has(tool));
}
