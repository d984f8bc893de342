// The wire between the dashboard's page and its bridge: one WebSocket, JSON text, same origin.
export { DASHBOARD_PATH } from "./address.js";
export { type AskName, type AskParams, type AskResult, asks } from "./asks.js";
export {
  CloseReason,
  type PageMessage,
  PageMessageSchema,
  type Viewer,
  type ViewMessage,
  ViewMessageSchema,
} from "./messages.js";
export {
  type CallRow,
  type FleetRow,
  type JobRow,
  MAX_SEEN_TURTLES,
  type Sample,
  type SessionRow,
  type ShownEvent,
  type ShownScreen,
  type TopicData,
  type TopicName,
  type TopicParams,
  type TurtleFacts,
  topics,
} from "./topics.js";
