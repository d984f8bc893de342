// The public surface of @ccbridge/protocol. Anything added here is API for other TypeScript tools.
export { inputSchemaProblem } from "./input-schema.js";
export { exceededLimit } from "./json-scan.js";
export { isRecord, type JsonSchema, partsOf, schemaAt } from "./json-schema.js";
export { copyString, cutString } from "./link/bounds.js";
export {
  ChunkJoiner,
  type ChunkJoinerOptions,
  type Joined,
  splitFrame,
  type TransferBudget,
} from "./link/chunks.js";
export {
  type DecodedFrame,
  decodeAgentFrame,
  decodeBridgeFrame,
  type EncodeOptions,
  encodeFrame,
  utf8Length,
} from "./link/codec.js";
export {
  CC_FRAME_BYTES,
  Feature,
  HelloErrorCode,
  LinkCloseCode,
  MAX_FROM_AGENT_BYTES,
  MAX_TO_AGENT_BYTES,
  MIN_FRAME_BYTES,
  PROTOCOL_VERSION,
  ResponseError,
  SAFE_FRAME_BYTES,
} from "./link/constants.js";
export {
  type Ack,
  AckSchema,
  type AgentFrame,
  type AgentTool,
  AgentToolSchema,
  type BridgeFrame,
  type Cancel,
  CancelSchema,
  type Chunk,
  ChunkSchema,
  type ComputerKind,
  ComputerKindSchema,
  type Event,
  EventSchema,
  type Hello,
  type HelloError,
  HelloErrorSchema,
  type HelloOk,
  HelloOkSchema,
  HelloSchema,
  type OutgoingFrame,
  type Output,
  OutputSchema,
  type Paired,
  PairedSchema,
  type Pairing,
  PairingSchema,
  type Progress,
  ProgressSchema,
  type Request,
  RequestSchema,
  type Response,
  ResponseSchema,
  type ScreenFrame,
  ScreenFrameSchema,
  type Tools,
  ToolsSchema,
} from "./link/frames.js";
export { type LuaValue, LuaValueSchema, luaArray } from "./link/lua.js";
export { type Screen, type ScreenRow, ScreenSchema } from "./link/screen.js";
export { decodeText } from "./link/text.js";
export { compilePattern, type Matcher, PatternError, type PatternOptions } from "./matcher.js";
export type { AboutComputer } from "./methods/agent.js";
export { MAX_CHECKED_REQUESTS } from "./methods/agent.js";
export { type EventWatch, EventWatchSchema, MAX_EVENT_WATCHES } from "./methods/events.js";
export type { FileEntry, KeptFile, ReadFileResult, SearchMatch } from "./methods/files.js";
export { fileHash } from "./methods/files.js";
export {
  isHeartbeat,
  type MethodName,
  type MethodParams,
  type MethodResult,
  methods,
} from "./methods/index.js";
export {
  type ExecLuaParams,
  ExecLuaParamsSchema,
  type ExecLuaResult,
  ExecLuaResultSchema,
} from "./methods/lua.js";
export type { Inventory, Peripheral } from "./methods/peripherals.js";
export { type InputStep, type RunProgramResult, RunProgramResultSchema } from "./methods/screen.js";
export type { Facing, TurtlePlace, TurtleStep } from "./methods/turtle.js";
export {
  REMOVED,
  removedNote,
  replaceHidden,
  type ShownText,
  shownText,
  wellFormedEscapes,
  wellFormedJson,
} from "./text.js";
