import { BoundedMap, type ComputerProvider, type Origin } from "@ccbridge/registry";
import { addressKey, isLoopback } from "../../config/addresses.js";
import { readPairings, type StoredApproval, type StoredPairing, writePairings } from "./store.js";

export function describeOrigin({ address, isLocal, forwardedFor }: Origin): string {
  if (forwardedFor !== undefined) return `${forwardedFor} through ${address}`;
  return !isLocal && isLoopback(address) ? `a proxy at ${address}` : address;
}

function addressOf({ address, forwardedFor }: Origin): string {
  const peer = addressKey(address);
  return forwardedFor === undefined ? peer : `${addressKey(forwardedFor)} through ${peer}`;
}

const MAX_PAIRED = 8_192;

/** An approval, or the end of one, as other bridges learn it. */
export type SharedPairing = { readonly id: string; readonly key: string } & (
  | { readonly secret: StoredPairing }
  | { readonly approval: StoredApproval }
  | { readonly revokedAt: number }
);

export interface PairedComputer extends Omit<StoredPairing, "secretHash"> {
  /** The address that the approval is bound to; null for a computer with a secret. */
  readonly address: string | null;
}

/** The approved computers, stored in a file. A change is written before it takes effect. */
export class PairedComputers {
  readonly #path: string;
  readonly #onForgotten: (key: string) => void;
  onShared: (changed: SharedPairing) => void = () => {};
  #secrets: ReadonlyMap<string, StoredPairing>;
  #approvals: ReadonlyMap<string, StoredApproval>;

  constructor(path: string, onForgotten: (key: string) => void) {
    this.#path = path;
    this.#onForgotten = onForgotten;
    const { computers, approved } = readPairings(path);
    this.#secrets = new Map(computers.map((stored) => [stored.key, stored]));
    this.#approvals = new Map(approved.map((stored) => [approvalId(stored), stored]));
  }

  list(): PairedComputer[] {
    return [
      ...[...this.#secrets.values()].map(({ secretHash: _, ...computer }) => ({
        ...computer,
        address: null,
      })),
      ...[...this.#approvals.values()].map(({ anyLabel: _, ...computer }) => computer),
    ];
  }

  secretHash(key: string): string | undefined {
    return this.#secrets.get(key)?.secretHash;
  }

  isApproved(provider: ComputerProvider, origin: Origin): boolean {
    return this.#approvals.has(approvalId(recognize(provider, origin)));
  }

  has(key: string): boolean {
    return this.#secrets.has(key) || [...this.#approvals.values()].some((one) => one.key === key);
  }

  addSecret(stored: StoredPairing): void {
    this.#keep(latest(this.#secrets, stored.key, stored), this.#approvals);
    this.onShared(sharedSecret(stored));
  }

  addApproval(stored: StoredApproval): void {
    this.#keep(this.#secrets, latest(this.#approvals, approvalId(stored), stored));
    this.onShared(sharedApproval(stored));
  }

  shared(): SharedPairing[] {
    return [
      ...[...this.#secrets.values()].map(sharedSecret),
      ...[...this.#approvals.values()].map(sharedApproval),
    ];
  }

  /** Takes over what another bridge has decided; false when nothing changes. The later decision counts. */
  merge(shared: SharedPairing): boolean {
    const { id, key } = shared;
    const isSecret = id === secretId(key);
    const before = isSecret ? this.#secrets.get(key) : this.#approvals.get(id);
    if (before !== undefined && before.pairedAt >= decidedAt(shared)) return false;
    if ("secret" in shared) {
      this.#keep(latest(this.#secrets, key, shared.secret), this.#approvals);
    } else if ("approval" in shared) {
      this.#keep(this.#secrets, latest(this.#approvals, id, shared.approval));
    } else if (before === undefined) return false;
    else if (isSecret) this.#keep(without(this.#secrets, key), this.#approvals);
    else this.#keep(this.#secrets, without(this.#approvals, id));
    return true;
  }

  remove(key: string): PairedComputer | undefined {
    const found = this.list().find((computer) => computer.key === key);
    if (found === undefined) return undefined;
    const gone = this.shared().flatMap((each) => (each.key === key ? each.id : []));
    const isOther = ([, stored]: [string, { key: string }]) => stored.key !== key;
    this.#keep(
      new Map([...this.#secrets].filter(isOther)),
      new Map([...this.#approvals].filter(isOther)),
    );
    this.#onForgotten(key);
    const revokedAt = Date.now();
    for (const id of gone) this.onShared({ id, key, revokedAt });
    return found;
  }

  #keep(
    secrets: ReadonlyMap<string, StoredPairing>,
    approvals: ReadonlyMap<string, StoredApproval>,
  ): void {
    writePairings(this.#path, {
      computers: [...secrets.values()],
      approved: [...approvals.values()],
    });
    for (const key of this.#secrets.keys()) if (!secrets.has(key)) this.#onForgotten(key);
    this.#secrets = secrets;
    this.#approvals = approvals;
  }
}

/** Milliseconds since 1970. */
export function decidedAt(shared: SharedPairing): number {
  if ("revokedAt" in shared) return shared.revokedAt;
  return "secret" in shared ? shared.secret.pairedAt : shared.approval.pairedAt;
}

function secretId(key: string): string {
  return `secret ${key}`;
}

function sharedSecret(secret: StoredPairing): SharedPairing {
  return { id: secretId(secret.key), key: secret.key, secret };
}

function sharedApproval(approval: StoredApproval): SharedPairing {
  return { id: approvalId(approval), key: approval.key, approval };
}

function without<T>(map: ReadonlyMap<string, T>, id: string): Map<string, T> {
  const copy = new Map(map);
  copy.delete(id);
  return copy;
}

/** A copy with one more entry, without the oldest one if there are too many. */
function latest<T>(map: ReadonlyMap<string, T>, id: string, value: T): Map<string, T> {
  const copy = new BoundedMap<string, T>(MAX_PAIRED);
  for (const [known, kept] of map) copy.set(known, kept);
  return copy.set(id, value);
}

/** The key of a computer without a secret. Agents of version 1 only send an id and a label. */
export function recognize(
  { key, label, instance }: ComputerProvider,
  origin: Origin,
): Pick<StoredApproval, "key" | "label" | "address" | "anyLabel"> {
  return { key, label, address: addressOf(origin), anyLabel: instance !== null };
}

function approvalId({ key, label, address, anyLabel }: ReturnType<typeof recognize>): string {
  return JSON.stringify(anyLabel ? [key, address] : [key, address, label]);
}
