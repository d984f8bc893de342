import { setTimeout as sleep } from "node:timers/promises";
import { type Bridge, type BridgeOptions, startBridge } from "../bridge.js";
import type { Config } from "../config/settings.js";
import { localAddress, urlHost } from "../startup/addresses.js";
import { StartError } from "../startup/listen.js";
import { mcpUrl } from "../startup/report.js";

const HEALTH_TIMEOUT_MS = 1_000;
/** A bridge that is closing holds its ports for as long as it may take to close. */
const PORT_PATIENCE_MS = 2_500;
const PORT_RETRY_MS = 50;

export interface FoundBridge {
  url: string;
  /** Set when this process runs it. */
  bridge?: Bridge;
}

/** The bridge that runs on the MCP port, or else a new one in this process. */
export async function findOrStartBridge(options: BridgeOptions): Promise<FoundBridge> {
  const { config, log } = options;
  const deadline = performance.now() + PORT_PATIENCE_MS;
  for (;;) {
    const url = mcpUrl(config, config.mcpPort);
    if (await isBridge(config)) {
      log.info({ url }, "using the bridge that already runs");
      return { url };
    }
    try {
      const bridge = await startBridge(options);
      const own = mcpUrl(config, bridge.mcpPort);
      log.info({ mcpUrl: own, linkPort: bridge.linkPort }, "bridge started");
      return { url: own, bridge };
    } catch (error) {
      // Another client may have started one at the same moment, or one may be about to leave.
      const taken = error instanceof StartError && error.code === "EADDRINUSE";
      if (!taken || performance.now() > deadline) throw error;
    }
    await sleep(PORT_RETRY_MS);
  }
}

/** Whether the program on the MCP port is a ccbridge. */
async function isBridge(config: Config): Promise<boolean> {
  if (config.mcpPort === 0) return false;
  const url = `http://${urlHost(localAddress(config.mcpHost))}:${config.mcpPort}/health`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    const health = (await response.json()) as { name?: unknown };
    return health.name === "ccbridge";
  } catch {
    return false;
  }
}
