import { statSync } from "node:fs";
import type { Config } from "../config/settings.js";
import { isOpenToNetwork } from "../net/addresses.js";

/** What lets the bridge start but is hardly meant, each with what to do about it. */
export function startupWarnings(config: Config): string[] {
  const found: string[] = [];
  if (isOpenToNetwork(config.mcpHost) && config.mcpTokens.length === 0) {
    found.push(
      `Anyone who can reach ${config.mcpHost} can run code on your computers: the MCP side is open to the network without a token. Set MCP_TOKENS to a long random text, or MCP_HOST=127.0.0.1.`,
    );
  }
  if (isOpenToNetwork(config.linkHost) && config.linkTokens.length === 0 && !config.pairing) {
    found.push(
      `Any machine on your network can link a computer, because the link side is open (${config.linkHost}) without a token. Set CC_PAIRING=on, which is best if others play too, or CC_LINK_TOKENS to a long random text, or CC_LINK_HOST=127.0.0.1 if Minecraft runs on this machine.`,
    );
  }
  for (const pair of config.syncFolders) {
    const [name = "", path = ""] = pair.split(/=(.*)/s);
    const problem = folderProblem(path);
    if (problem !== undefined) {
      found.push(
        `The folder "${name}" of CC_SYNC_FOLDERS cannot be used: ${path} ${problem}. Create it, or correct the setting.`,
      );
    }
  }
  return found;
}

function folderProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
  }
}
