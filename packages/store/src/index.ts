// The public surface of @ccbridge/store.

export type { EngineName } from "./engine.js";
export type { CallRow, Forgotten, LinkRow, Retention, Sight } from "./rows.js";
export { openStore, type Store, type StoreOptions, type StoreStatus } from "./store.js";
