import { SCREEN_VIEW_URI } from "@ccbridge/protocol/screen";
import { createAlert } from "./alerts/create-alert.js";
import type { Tool } from "./core/define.js";
import { getHistory } from "./history/get-history.js";
import { listChanges } from "./history/list-changes.js";
import { undoChange } from "./history/undo-change.js";
import { listComputers, probeComputers } from "./kinds/computer/core/computers.js";
import { execLua } from "./kinds/computer/core/exec-lua.js";
import { syncFolder } from "./kinds/computer/files/sync-folder.js";
import { cancelJob, getJob } from "./kinds/computer/jobs/jobs.js";
import { readScreen } from "./kinds/computer/screen/read-screen.js";
import { runProgram } from "./kinds/computer/screen/run-program.js";
import { readResult, requestCapabilities } from "./kinds/page/page-tools.js";
import { toolsOfKinds } from "./kinds.js";
import { callOfferedTool, listOfferedTools } from "./offered-tools.js";
import { permissions } from "./permissions.js";

const { power, ...others } = toolsOfKinds;

export const toolGroups = {
  ...others,
  core: [...others.core, permissions],
  events: [...others.events, createAlert],
  offered: [listOfferedTools, callOfferedTool],
  power,
  history: [getHistory, listChanges, undoChange],
} as const satisfies Record<string, readonly Tool[]>;

export type ToolGroup = keyof typeof toolGroups;

export const toolGroupNames = Object.keys(toolGroups) as ToolGroup[];

export const tools: readonly Tool[] = Object.values(toolGroups).flat();

/** For clients of web pages: listed where pages may connect. */
export const pageTools: readonly Tool[] = [requestCapabilities, readResult];

/** The names of all built-in tools, even those that only some bridges have. No offered tool gets one of them. */
export const builtInNames: ReadonlySet<string> = new Set(
  [...tools, ...pageTools].map(({ name }) => name),
);

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
