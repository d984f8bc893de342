// The public surface of @ccbridge/cluster.

export type { TopicListener } from "./broadcasts.js";
export type { Operations } from "./call-server.js";
export { CallError, type CallOptions, CallProblem } from "./caller.js";
export { Cluster, type ClusterOptions, type ClusterStatus } from "./cluster.js";
export type { NatsOptions } from "./connection.js";
export type { Member } from "./entry.js";
export type { HistoryStreamOptions, StreamPlace } from "./history-stream.js";
