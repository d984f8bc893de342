// The protocol between the dashboard and its bridge: one WebSocket, JSON text, same origin.

export {
  type ActionName,
  type ActionParams,
  type ActionResult,
  actions,
  MAX_TRACES,
  MAX_UNDONE,
} from "./actions.js";
export type { CallRow, SessionRow } from "./clients.js";
export {
  CloseReason,
  DASHBOARD_PATH,
  type DashboardMessage,
  DashboardMessageSchema,
  type Viewer,
  type ViewMessage,
  ViewMessageSchema,
} from "./messages.js";
export {
  type FleetRow,
  type JobRow,
  type LiveSetting,
  MAX_SEEN_TURTLES,
  type Sample,
  type ShownEvent,
  type ShownScreen,
  type TopicData,
  type TopicName,
  type TopicParams,
  type TurtleFacts,
  topics,
} from "./topics.js";
