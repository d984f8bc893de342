// All that the rest of the app sees of the MCP SDK. Only this folder knows it: another generation of the
// SDK is another folder like this one.
export {
  asJsonRpc,
  type JSONRPCMessage,
  stdioTransport,
  type Transport,
} from "./messages.js";
export { createServe, loadSdk } from "./serve.js";
