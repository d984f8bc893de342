import { setTimeout as sleep } from "node:timers/promises";
import { type Bridge, type BridgeOptions, startBridge } from "../../bridge.js";
import { planListeners } from "../../config/listeners.js";
import { localMcpOrigin } from "../../config/public-urls.js";
import type { Config } from "../../config/settings.js";
import { portHolder, StartError } from "../../http/listen.js";
import { identifyBridge } from "./identify-bridge.js";

const PORT_PATIENCE_MS = 2_500;
const PORT_RETRY_MS = 50;
/** How many ports after the first are tried. */
const MAX_TRIED = 8;

export interface FoundBridge {
  url: string;
  /** A ticket; the token itself only if this process runs the bridge, or if it is that of a remote one. */
  credential?: string | undefined;
  bridge?: Bridge;
  /** It is at a fixed address, and nothing else takes its place. */
  isRemote?: boolean;
}

/**
 * Finds the bridge that clients on this machine share, or starts it. Another program on the MCP port moves it to the
 * next one, in the same order for each client: their side of it is a pipe, so the port matters only for sharing.
 */
export async function findOrStartBridge(options: BridgeOptions): Promise<FoundBridge> {
  const { log } = options;
  const avoid = planListeners(options.config).map(({ port }) => port);
  let { config } = options;
  let deadline = performance.now() + PORT_PATIENCE_MS;
  for (;;) {
    const url = `${localMcpOrigin(config, config.mcpPort)}/mcp`;
    const identified = await identifyBridge(config);
    if (identified !== undefined) {
      log.info({ url }, "using the bridge that already runs");
      return { url, ...identified };
    }
    try {
      const bridge = await startBridge({ ...options, config });
      const own = `${localMcpOrigin(config, bridge.mcpPort)}/mcp`;
      log.info({ mcpUrl: own, linkPort: bridge.linkPort }, "bridge started");
      return { url: own, bridge, credential: config.mcpTokens[0] };
    } catch (error) {
      // Another client may have started one at the same moment, or one may be closing.
      const taken = error instanceof StartError && error.code === "EADDRINUSE";
      if (!taken) throw error;
      if (performance.now() > deadline) {
        const next = await nextPort(config, avoid);
        if (next === undefined) throw error;
        log.warn({ port: config.mcpPort, next }, "the MCP port belongs to another program");
        config = { ...config, mcpPort: next };
        deadline = performance.now() + PORT_PATIENCE_MS;
      }
    }
    await sleep(PORT_RETRY_MS);
  }
}

/** Undefined when the MCP port is not what is taken, or enough others were tried. */
async function nextPort(config: Config, avoid: readonly number[]): Promise<number | undefined> {
  const { kind } = await portHolder(config.mcpHost, config.mcpPort);
  if (kind !== "stranger") return undefined;
  const first = avoid[0] ?? config.mcpPort;
  for (let port = config.mcpPort + 1; port <= first + MAX_TRIED && port <= 65_535; port++) {
    if (!avoid.includes(port)) return port;
  }
  return undefined;
}
