import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pairingFile } from "../auth/pairing/open-pairing.js";
import { tokenWarnings } from "../auth/token-warnings.js";
import { isLoopback, isOpenToNetwork } from "../config/addresses.js";
import { publicNames } from "../config/public-urls.js";
import { type Config, settings } from "../config/settings.js";

export function startupWarnings(config: Config, platform = process.platform): string[] {
  return [...settingWarnings(config), ...stateWarnings(config), ...tokenWarnings(config, platform)];
}

/** Found at start: otherwise the first approval fails, weeks later and far from its cause. */
export function stateWarnings(config: Config): string[] {
  if (config.pairing === "off") return [];
  const file = pairingFile(config);
  const reason = writeProblem(file);
  if (reason === undefined) return [];
  return [
    `Approvals of computers cannot be saved: ${file} cannot be written (${reason}). Let the user of this program write to its folder (under systemd with StateDirectory=ccbridge), or set ${settings.pairingFile.env} to another file.`,
  ];
}

function writeProblem(file: string): string | undefined {
  let place = dirname(file);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    if (existsSync(file)) accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

export function settingWarnings(config: Config): string[] {
  const found: string[] = [];
  const mcpNames = foreignNames([...publicNames(config.mcpPublicUrl), ...config.mcpAllowedHosts]);
  const linkNames = foreignNames([
    ...publicNames(config.linkPublicUrl),
    ...config.linkAllowedHosts,
  ]);
  const isLinkOpen = config.linkTokens.length === 0 && config.pairing === "off";
  if (isOpenToNetwork(config.mcpHost) && config.mcpTokens.length === 0) {
    found.push(
      `Anyone who can reach ${config.mcpHost} can run code on your computers: the MCP side is open to the network without a token. Set MCP_TOKENS to a long random text, or MCP_HOST=127.0.0.1.`,
    );
  } else if (mcpNames !== "" && config.mcpTokens.length === 0) {
    found.push(
      `Anyone who can reach ${mcpNames} can run code on your computers and use the dashboard: ${config.mcpPublicUrl === "" ? "MCP_ALLOWED_HOSTS" : "MCP_PUBLIC_URL"} admits requests for that name, which a proxy or tunnel passes on from anywhere, and no token is needed. Set MCP_TOKENS to a long random text, or take the name out of the settings.`,
    );
  }
  if (isLinkOpen && isOpenToNetwork(config.linkHost)) {
    found.push(
      `Any machine on your network can link a computer, because the link side is open (${config.linkHost}) without a token or pairing. Set CC_PAIRING=auto, or CC_LINK_TOKENS to a long random text, or CC_LINK_HOST=127.0.0.1 if Minecraft runs on this machine.`,
    );
  } else if (isLinkOpen && linkNames !== "") {
    found.push(
      `Anyone who can reach ${linkNames} can link a computer: ${config.linkPublicUrl === "" ? "CC_LINK_ALLOWED_HOSTS" : "CC_LINK_PUBLIC_URL"} admits requests for that name, which a proxy or tunnel passes on from anywhere, and neither a token nor approval is needed. Set CC_PAIRING=auto, or CC_LINK_TOKENS to a long random text, or take the name out of the settings.`,
    );
  }
  // The bridge has no TLS, so an https address is that of a proxy.
  const proxied = (["mcpPublicUrl", "linkPublicUrl"] as const)
    .filter((name) => config[name].startsWith("https:"))
    .map((name) => settings[name].env);
  if (proxied.length > 0 && config.trustedProxies.length === 0) {
    found.push(
      `${proxied.join(" and ")} ${proxied.length > 1 ? "are addresses" : "is the address"} of a proxy, but no proxy is trusted: log, audit and limits see all of its clients as one. Set CC_TRUSTED_PROXIES to the proxy's address as the bridge sees it, such as 127.0.0.1.`,
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

/** Names that may be reachable from other machines; `*` does not show whether any is. */
function foreignNames(hosts: readonly string[]): string {
  return hosts.filter((name) => name !== "*" && !isLoopback(name)).join(", ");
}

function folderProblem(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
  }
}
