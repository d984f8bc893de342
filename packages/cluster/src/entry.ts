import { createHash } from "node:crypto";
import type { ClientWatches, Provider, ProviderView } from "@ccbridge/registry";

/** Orders the links of a provider over all bridges. A bucket that was created later counts more than any revision. */
export interface Epoch {
  readonly made: number;
  readonly revision: number;
}

export function isNewer(a: Epoch, b: Epoch): boolean {
  return a.made === b.made ? a.revision > b.revision : a.made > b.made;
}

export function sameEpoch(a: Epoch, b: Epoch): boolean {
  return a.made === b.made && a.revision === b.revision;
}

/** What the directory has of a linked provider. */
export interface DirectoryEntry {
  readonly bridge: string;
  /** Undefined in the first entry of a link: its own revision is the epoch. */
  readonly epoch?: Epoch | undefined;
  readonly provider: Provider;
  readonly owner?: string | undefined;
  readonly state: ProviderView["state"];
  readonly linkedAt: number;
  readonly lastSeenAt: number;
  readonly pausedSince?: number | undefined;
  /** Differs whenever it offers other tools; 0 when it offers none. */
  readonly offer: number;
  /** The events that clients watch on it. */
  readonly watches?: ClientWatches | undefined;
}

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  /** Takes no new links and ends soon. */
  readonly draining: boolean;
  readonly providers: number;
  /** What it reports about itself, for people. */
  readonly notes: readonly string[];
  /** How long NATS took to answer it, in milliseconds. */
  readonly natsMs?: number | undefined;
  /** Entries of its history that other bridges will not see. */
  readonly unshared?: number | undefined;
}

/** Keys of providers have characters that NATS does not allow, and any length. */
export function entryKey(providerKey: string): string {
  return `p.${createHash("sha256").update(providerKey).digest("base64url").slice(0, 27)}`;
}

export function readEntry(value: unknown): DirectoryEntry | undefined {
  const { bridge, provider } = (value ?? {}) as Partial<DirectoryEntry>;
  const isEntry = typeof bridge === "string" && typeof provider?.key === "string";
  return isEntry ? (value as DirectoryEntry) : undefined;
}

export function readMember(value: unknown): Member | undefined {
  const { id, name } = (value ?? {}) as Partial<Member>;
  return typeof id === "string" && typeof name === "string" ? (value as Member) : undefined;
}
