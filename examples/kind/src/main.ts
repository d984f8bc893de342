import { createLogger, defaultConfig, startBridge } from "@ccbridge/bridge";
import { lampKind } from "./lamps.js";
import { status } from "./status.js";

const bridge = await startBridge({
  config: defaultConfig(),
  log: await createLogger({ level: "info", fd: 2, pretty: true }),
  version: "0.1.0",
  kinds: [lampKind(3_010)],
  tools: [status],
});
process.stdout.write(
  `MCP clients connect to http://127.0.0.1:${bridge.mcpPort}/mcp, lamps to port 3010.\n`,
);
process.once("SIGINT", () => void bridge.close());
