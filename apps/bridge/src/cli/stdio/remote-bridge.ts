import type { BridgeOptions } from "../../bridge.js";
import { isLoopback } from "../../config/addresses.js";
import { readBridgeUrl } from "../../config/public-urls.js";
import { healthAt } from "../../http/health-client.js";
import { StartError } from "../../http/listen.js";
import type { FoundBridge } from "./find-bridge.js";

const ANSWER_MS = 5_000;

/**
 * The bridge of BRIDGE_URL. It need not run yet: each message of the client tries again. In deployments where the
 * address is that of the port for servers, as the tokens of clients work there too, the bridge says where MCP is.
 */
export async function findRemoteBridge({ config, log }: BridgeOptions): Promise<FoundBridge> {
  const url = await mcpUrlOf(config.bridgeUrl);
  const { protocol, hostname } = new URL(url);
  const isPlain = protocol === "http:" && !isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (isPlain && config.authToken !== "") {
    log.warn(
      { url },
      "AUTH_TOKEN crosses the network unencrypted: give BRIDGE_URL an https address",
    );
  }
  log.info({ url }, "using the bridge of BRIDGE_URL");
  return { url, credential: config.authToken || undefined, isRemote: true };
}

async function mcpUrlOf(bridgeUrl: string): Promise<string> {
  const url = readBridgeUrl(bridgeUrl.replace(/^ws/i, "http"));
  if (url === undefined) throw new Error("BRIDGE_URL was not checked");
  const isMcp = url.pathname.endsWith("/mcp");
  if (isMcp || (url.pathname !== "/" && /^http/i.test(bridgeUrl))) return url.href;
  const { side = "mcp", mcpPort } = (await healthAt(url.origin, ANSWER_MS)) ?? {};
  if (mcpPort !== undefined) url.port = String(mcpPort);
  else if (side !== "mcp") {
    throw new StartError(
      `BRIDGE_URL is ${url.origin}, a port of ccbridge where clients cannot connect. Set it to the address of the MCP side, which has port 3000 unless MCP_PORT says otherwise.`,
      { code: "EINVAL" },
    );
  }
  url.pathname = "/mcp";
  return url.href;
}
