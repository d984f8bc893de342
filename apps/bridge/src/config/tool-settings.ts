import { type ToolGroup, toolGroupNames } from "@ccbridge/mcp-tools";
import type { z } from "zod";
import { duration, folders, integer, list, onOff, setting, webhookHosts } from "./setting.js";

type ToolChoice = ToolGroup | "all" | "slim";

const toolChoices: readonly ToolChoice[] = ["all", "slim", ...toolGroupNames];

function isToolChoice(name: string): name is ToolChoice {
  return (toolChoices as readonly string[]).includes(name);
}

export const toolSettings = {
  tools: setting(
    "CC_TOOLS",
    list.refine((names): names is ToolChoice[] => names.every(isToolChoice), {
      message: `must be some of ${toolChoices.join(", ")}, separated by commas`,
    }) as unknown as z.ZodType<ToolChoice[], string>,
    ["all"],
    "groups",
    `Groups of tools to offer: ${toolChoices.join(", ")}; slim are the five most useful.`,
  ),
  structured: setting(
    "MCP_STRUCTURED",
    onOff,
    false,
    "on|off",
    "Whether results have structured content and tools an output schema, for programs. Off by default, since some clients then show their model nothing else.",
  ),
  offeredBytes: setting(
    "MCP_OFFERED_BYTES",
    integer(0, 10_000_000),
    40_000,
    "bytes",
    "What the tools that computers, servers and pages offer may take in the list of tools.",
    "The rest are found with list-offered-tools, and the log and the page's console name them.",
  ),
  offeredBytesPerProvider: setting(
    "MCP_OFFERED_BYTES_PER_PROVIDER",
    integer(0, 10_000_000),
    40_000,
    "bytes",
    "The same for the tools of one computer, server or page.",
  ),
  syncFolders: setting(
    "CC_SYNC_FOLDERS",
    folders,
    [] as string[],
    "folders",
    "Folders on this machine that sync-folder may read and write, as name=/absolute/path, separated by commas.",
  ),
  alertWebhookHosts: setting(
    "ALERT_WEBHOOK_HOSTS",
    webhookHosts,
    [] as string[],
    "hosts",
    "Hosts that alerts may be posted to, such as ntfy.sh,discord.com, with a port if it is not 443. Never to an address inside the network; see [alerts.md](alerts.md).",
  ),
  probeTimeoutMs: setting(
    "CC_PROBE_TIMEOUT_MS",
    duration,
    2_000,
    "ms",
    "How long probe-computers waits for an answer.",
    "The computer is reported as silent.",
  ),
  execWaitMs: setting(
    "CC_EXEC_WAIT_MS",
    integer(0, 50_000),
    30_000,
    "ms",
    "How long exec-lua waits for its job to end, unless the caller says otherwise.",
    "The call is answered with the job's id; the job continues.",
  ),
  returnWaitMs: setting(
    "CC_RETURN_WAIT_MS",
    integer(0, 30_000),
    5_000,
    "ms",
    "How long after the bridge starts a call waits for a computer to come back.",
    "The call is answered: the computer is not linked.",
  ),
} as const;
