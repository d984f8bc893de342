import { MAX_FROM_AGENT_BYTES, MAX_TO_AGENT_BYTES, SAFE_FRAME_BYTES } from "@ccbridge/protocol";

/** Bounds and times of a registry. All have defaults, see {@link registryDefaults}. */
export interface RegistryLimits {
  /** How long a new connection may take to say hello. @default 5000 */
  helloTimeoutMs: number;
  /** How long a link may be quiet, in either direction, before it is pinged. @default 15000 */
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
  /** Memory of unfinished transfers of all providers together. @default 134217728 */
  maxTransferBytes: number;
  /** Bytes that may wait for one provider to read them. @default 8388608 */
  maxBufferedBytes: number;
  /** Malformed frames in a row before a connection is closed. @default 20 */
  maxMalformed: number;
  /** Jobs that may run on one provider at once; further ones wait. @default 8 */
  maxJobs: number;
  /** Programs with a screen that may run on one provider at once, beside its jobs; further ones are refused. @default 8 */
  maxPrograms: number;
  /** Output of one job that is kept, in characters; the oldest is dropped. @default 1048576 */
  maxOutputLength: number;
  /** Finished jobs of one provider that are kept, and for how long. @default 100 */
  keepJobs: number;
  /** @default 3600000 */
  keepJobsMs: number;
  /** How long a provider may stay away before its jobs are lost. @default 1800000 */
  lostAfterMs: number;
  /** How long a provider may take to confirm that it stopped a job. @default 2000 */
  cancelGraceMs: number;
  /** Whether providers keep what files were before jobs changed them. @default false */
  keepJobFiles: boolean;
  /** What happens to a job that a provider still has from an earlier bridge. @default "keep" */
  unknownJobs: "keep" | "cancel";
  /** Such jobs of all providers together that have not ended. @default 1024 */
  maxAdoptedJobs: number;
  /** All that is kept of answers, output and events together, roughly in bytes. @default 134217728 */
  maxKeptBytes: number;
  /** Events of one provider that are kept; the oldest are dropped. @default 2000 */
  maxEvents: number;
  /** What they may take together, roughly in bytes. @default 1048576 */
  maxEventBytes: number;
  /** Providers whose events are kept while they are not linked. @default 64 */
  keepEventLogs: number;
  /** Tools that one provider may offer. @default 128 */
  maxOfferedTools: number;
  /** What they may take together, in characters of JSON. @default 131072 */
  maxOfferedToolsLength: number;
  /** Tools that all providers together may offer; each may offer 8 in any case. @default 16384 */
  maxAllOfferedTools: number;
  /** What those may take together, in characters of JSON; each may offer 8192. @default 8388608 */
  maxAllOfferedToolsLength: number;
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
  maxTransferBytes: 128 * 1_024 * 1_024,
  maxBufferedBytes: 8 * 1_024 * 1_024,
  maxMalformed: 20,
  maxJobs: 8,
  maxPrograms: 8,
  maxOutputLength: 1_024 * 1_024,
  keepJobs: 100,
  keepJobsMs: 3_600_000,
  lostAfterMs: 1_800_000,
  cancelGraceMs: 2_000,
  keepJobFiles: false,
  unknownJobs: "keep",
  maxAdoptedJobs: 1_024,
  maxKeptBytes: 128 * 1_024 * 1_024,
  maxEvents: 2_000,
  maxEventBytes: 1_024 * 1_024,
  keepEventLogs: 64,
  maxOfferedTools: 128,
  maxOfferedToolsLength: 128 * 1_024,
  maxAllOfferedTools: 16_384,
  maxAllOfferedToolsLength: 8 * 1_024 * 1_024,
});

export function withDefaults(options: Partial<RegistryLimits>): Readonly<RegistryLimits> {
  const entries = Object.entries(registryDefaults).map(([name, fallback]) => [
    name,
    options[name as keyof RegistryLimits] ?? fallback,
  ]);
  return Object.freeze(Object.fromEntries(entries) as RegistryLimits);
}
