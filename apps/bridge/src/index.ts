// For embedding the bridge in another program.
export { type Client, isOwner } from "./access/client.js";
export { type Bridge, type BridgeOptions, startBridge } from "./bridge.js";
export { ConfigError, loadCommand } from "./config/load.js";
export { type Config, defaultConfig } from "./config/settings.js";
export { createLogger, type Logger, silentLogger } from "./logging.js";
export { StartError } from "./startup/listen.js";
