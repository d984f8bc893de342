// The only folder that imports the MCP SDK.
export {
  asJsonRpc,
  type JSONRPCMessage,
  stdioTransport,
  type Transport,
} from "./messages.js";

/** The server of sessions. Loaded when it is first needed: it costs start-up time. */
export function loadSdk() {
  return import("./session-server.js");
}
