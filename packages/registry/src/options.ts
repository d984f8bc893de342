import { MAX_FROM_AGENT_BYTES, MAX_TO_AGENT_BYTES, SAFE_FRAME_BYTES } from "@ccbridge/protocol";
import type { Origin } from "./channel.js";
import type { Link } from "./link.js";

/** Bounds and times of a registry. All have defaults, see {@link registryDefaults}. */
export interface RegistryLimits {
  /** How long a new connection may take to say hello. @default 5000 */
  helloTimeoutMs: number;
  /** How long a link may be quiet before it is pinged. @default 15000 */
  heartbeatMs: number;
  /** How long a link may be silent before it counts as unresponsive. @default 35000 */
  unresponsiveAfterMs: number;
  /** How long a link may be silent before it is dropped. @default 300000 */
  dropAfterMs: number;
  /** Linked providers at once. @default 4096 */
  maxLinks: number;
  /** Requests that may wait for one provider at once. @default 64 */
  maxPending: number;
  /** The largest message to and from a provider. @default 130048 */
  maxFrameBytes: number;
  /** The largest chunked frame to a provider. @default 4194304 */
  maxToAgentBytes: number;
  /** The largest chunked frame from a provider. @default 16777216 */
  maxFromAgentBytes: number;
  /** Unfinished transfers of all providers together. @default 268435456 */
  maxTransferBytes: number;
  /** Bytes that may wait for one provider to read them. @default 8388608 */
  maxBufferedBytes: number;
  /** Malformed frames in a row before a connection is closed. @default 20 */
  maxMalformed: number;
  /** Jobs that may run on one provider at once; further ones wait. @default 8 */
  maxJobs: number;
  /** Output of one job that is kept, in characters; the oldest is dropped. @default 1048576 */
  maxOutputLength: number;
  /** Finished jobs that are kept, and for how long. @default 200 */
  keepJobs: number;
  /** @default 3600000 */
  keepJobsMs: number;
  /** How long a provider may stay away before its jobs are lost. @default 1800000 */
  lostAfterMs: number;
  /** How long a provider may take to confirm that it stopped a job. @default 2000 */
  cancelGraceMs: number;
  /** What becomes of a job that a provider brings along from an earlier bridge. @default "keep" */
  unknownJobs: "keep" | "cancel";
  /** Events of one provider that are kept; the oldest are dropped. @default 2000 */
  maxEvents: number;
  /** What they may take together, roughly in bytes. @default 1048576 */
  maxEventBytes: number;
  /** Providers whose events are kept while they are not linked. @default 64 */
  keepEventLogs: number;
}

export const registryDefaults: Readonly<RegistryLimits> = Object.freeze({
  helloTimeoutMs: 5_000,
  heartbeatMs: 15_000,
  unresponsiveAfterMs: 35_000,
  dropAfterMs: 300_000,
  maxLinks: 4_096,
  maxPending: 64,
  maxFrameBytes: SAFE_FRAME_BYTES,
  maxToAgentBytes: MAX_TO_AGENT_BYTES,
  maxFromAgentBytes: MAX_FROM_AGENT_BYTES,
  maxTransferBytes: 256 * 1_024 * 1_024,
  maxBufferedBytes: 8 * 1_024 * 1_024,
  maxMalformed: 20,
  maxJobs: 8,
  maxOutputLength: 1_024 * 1_024,
  keepJobs: 200,
  keepJobsMs: 3_600_000,
  lostAfterMs: 1_800_000,
  cancelGraceMs: 2_000,
  unknownJobs: "keep",
  maxEvents: 2_000,
  maxEventBytes: 1_024 * 1_024,
  keepEventLogs: 64,
});

/** What a registry tells its owner. It never logs by itself. */
export interface RegistryObserver {
  linked?(link: Link): void;
  unlinked?(link: Link, reason: string): void;
  unresponsive?(link: Link): void;
  recovered?(link: Link): void;
  /** A connection that never became a link. */
  refused?(origin: Origin, reason: string): void;
  /** The first bad frame of a connection. `reason` is short and safe to log. */
  problem?(origin: Origin, reason: string): void;
  /** Something harmless that helps to debug an agent. */
  debug?(origin: Origin, message: string): void;
}

export interface RegistryOptions extends Partial<RegistryLimits>, RegistryObserver {
  /** How the bridge names itself in hello-ok. */
  bridge: { name: string; version: string };
  /** Decides on the token of a hello. Without it everybody may link. */
  authorize?(token: string | undefined, origin: Origin): boolean;
}
