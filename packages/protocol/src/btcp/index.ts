export { isSessionId, type PageAddress, type ReadAddress, readAddress } from "./address.js";
export { type AgentError, bareResult, toAgentError } from "./agents.js";
export {
  type CapabilityAnswer,
  covers,
  isCapability,
  isGrant,
  isGranted,
  missingOf,
  type Risk,
  riskOf,
  sortRequest,
} from "./capabilities.js";
export {
  type DecodedPageMessage,
  decodeMessage,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  type MessageId,
  type PageMessage,
  type PageOutcome,
} from "./codec.js";
export {
  DEFAULT_CALL_MS,
  MAX_CALL_MS,
  MAX_CAPABILITIES,
  MAX_FROM_PAGE_BYTES,
  MAX_PAGE_TOOLS,
  MAX_TO_PAGE_BYTES,
  META_TOOL_PREFIX,
  MIN_CALL_MS,
  PageCloseCode,
  REQUEST_CAPABILITIES,
  UNASKED_TOOLS,
} from "./constants.js";
export {
  type PageError,
  PageErrorCode,
  RpcCode,
  type RpcError,
  readError,
  toRpcError,
} from "./errors.js";
export { type ContentBlock, ContentBlockSchema, type PageResult, toPageResult } from "./results.js";
export { cutText } from "./text.js";
export {
  callTime,
  type PageTool,
  type ReadTools,
  readTools,
  type ToolProblem,
  toolListOf,
} from "./tools.js";
