import { setTimeout as sleep } from "node:timers/promises";
import { type Bridge, type BridgeOptions, startBridge } from "../../bridge.js";
import { localMcpOrigin } from "../../config/public-urls.js";
import { StartError } from "../../http/listen.js";
import { identifyBridge } from "./identify-bridge.js";

const PORT_PATIENCE_MS = 2_500;
const PORT_RETRY_MS = 50;

export interface FoundBridge {
  url: string;
  /** A ticket; the token itself only if this process runs the bridge. */
  credential?: string | undefined;
  bridge?: Bridge;
}

export async function findOrStartBridge(options: BridgeOptions): Promise<FoundBridge> {
  const { config, log } = options;
  const deadline = performance.now() + PORT_PATIENCE_MS;
  for (;;) {
    const url = `${localMcpOrigin(config, config.mcpPort)}/mcp`;
    const identified = await identifyBridge(config);
    if (identified !== undefined) {
      log.info({ url }, "using the bridge that already runs");
      return { url, ...identified };
    }
    try {
      const bridge = await startBridge(options);
      const own = `${localMcpOrigin(config, bridge.mcpPort)}/mcp`;
      log.info({ mcpUrl: own, linkPort: bridge.linkPort }, "bridge started");
      return { url: own, bridge, credential: config.mcpTokens[0] };
    } catch (error) {
      // Another client may have started one at the same moment, or one may be closing.
      const taken = error instanceof StartError && error.code === "EADDRINUSE";
      if (!taken || performance.now() > deadline) throw error;
    }
    await sleep(PORT_RETRY_MS);
  }
}
