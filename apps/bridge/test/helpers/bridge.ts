import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type Bridge,
  type BridgeOptions,
  type Config,
  defaultConfig,
  type Logger,
  silentLogger,
  startBridge,
} from "../../src/index.js";
import { scratchDirectory } from "./scratch.js";

export interface TestBridge extends Bridge {
  config: Config;
  mcpUrl: string;
  linkUrl: string;
  pagesUrl: string;
}

export async function startTestBridge(
  settings: Partial<Config> = {},
  log: Logger = silentLogger(),
  options: Partial<BridgeOptions> = {},
): Promise<TestBridge> {
  const config: Config = {
    ...defaultConfig(),
    mcpPort: 0,
    linkHost: "127.0.0.1",
    linkPort: 0,
    pagesPort: 0,
    structured: true,
    returnWaitMs: 0,
    // Heartbeats use real time, while a computer answers in game time, which tests drive or run
    // faster: it would miss them. Tests about heartbeats set them.
    heartbeatMs: 3_600_000,
    unresponsiveAfterMs: 7_200_000,
    dropAfterMs: 10_800_000,
    history: "memory",
    pairingFile: join(scratchDirectory(), "paired.json"),
    ...settings,
  };
  const bridge = await startBridge({ config, log, version: "1.2.3", ...options });
  onTestFinished(() => bridge.close());
  return {
    ...bridge,
    config,
    mcpUrl: `http://127.0.0.1:${bridge.mcpPort}/mcp`,
    linkUrl: `ws://127.0.0.1:${bridge.linkPort}`,
    pagesUrl: `ws://127.0.0.1:${bridge.pagesPort}`,
  };
}
