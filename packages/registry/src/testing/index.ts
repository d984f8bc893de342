// For tests of anything that links: an in-memory connection, a computer without a game, the contract, stores.
export { MemoryEventStore } from "../events/event-store.js";
export { MemoryJobStore } from "../jobs/job-store.js";
export { type AgentEnd, type ChannelPairOptions, connectInMemory } from "./channel-pair.js";
export {
  FakeComputer,
  type FakeComputerOptions,
  type Program,
  type Run,
} from "./fake-computer.js";
export { type ContractCase, linkContract } from "./link-contract.js";
export { startJob } from "./start-job.js";
