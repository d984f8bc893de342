export * as arbitraries from "./arbitraries.js";
export { batchContract } from "./batch.js";
export { type Component, componentContract, type PropertyCase, runs } from "./component.js";
export { FakeBridge, WebSocket } from "./fake-bridge.js";
export { modContract } from "./mod.js";
export type { Game, Mod } from "./mod-subject.js";
