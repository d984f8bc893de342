// The public surface of @ccbridge/store.

export type { EngineName } from "./engine.js";
export {
  type CallRow,
  ELSEWHERE,
  type Forgotten,
  type LinkRow,
  type Retention,
  type Sight,
} from "./rows.js";
export {
  type ElsewhereRow,
  openStore,
  type Store,
  type StoreOptions,
  type StoreStatus,
} from "./store.js";
