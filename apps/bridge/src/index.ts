// For embedding the bridge in another program.
export { type Client, isOwner } from "./auth/rights/client.js";
export { type Bridge, type BridgeOptions, startBridge } from "./bridge.js";
export { ConfigError, loadCommand } from "./config/load.js";
export { type Config, defaultConfig } from "./config/settings.js";
export { StartError } from "./http/listen.js";
export type { KindHost, KindListener, LinkedKind } from "./links/kinds.js";
export { createLogger, type Logger, silentLogger } from "./monitor/log.js";
