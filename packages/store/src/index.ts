// The public surface of @ccbridge/store.

export type { TimeWindow } from "./database.js";
export type { EngineName } from "./engine.js";
export type {
  CallFilter,
  CallPage,
  CallRow,
  Forgotten,
  LinkRow,
  Retention,
  StoredCall,
  StoredLink,
  TimelineEvent,
} from "./rows.js";
export { openStore, type Store, type StoreOptions, type StoreStatus } from "./store.js";
