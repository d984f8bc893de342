// All that the rest of the app sees of the MCP SDK. Only this folder knows it: another generation of the
// SDK is another folder like this one.
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
