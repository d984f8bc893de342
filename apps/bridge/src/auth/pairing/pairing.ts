import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ComputerIdentity, Origin, PairingDesk, WaitingComputer } from "@ccbridge/registry";
import { limits } from "../../config/limits.js";
import { addressKey } from "../../http/address-key.js";
import { newCode, readCode } from "./codes.js";
import { type PairedComputer, PairedComputers, recognize } from "./paired.js";
import { whereFrom } from "./place.js";

/** How long a code is good for. */
const CODE_MS = 600_000;

/** A computer that waits for the owner's approval. */
export interface PendingPairing {
  /** What its screen shows; for a computer that cannot show it, only what to call it here. */
  readonly code: string;
  readonly showsCode: boolean;
  readonly computerId: number;
  readonly label: string | null;
  readonly world: string | null;
  readonly address: string;
  readonly at: number;
  /** Whether a computer of this identity is approved already: this one may be another that claims to be it. */
  readonly replaces: boolean;
}

type Events = Parameters<PairingDesk["open"]>[1];

interface Waiting {
  readonly pending: PendingPairing;
  readonly computer: WaitingComputer;
  /** What counts as one address. */
  readonly peer: string;
  readonly events: Events;
  /** The owner said no: it is not shown any more. */
  declined: boolean;
  close(): void;
}

/** Something about pairing that belongs in the audit. */
type PairingNews =
  | {
      readonly what: "asked" | "confirmed" | "declined";
      readonly pending: PendingPairing;
      readonly by?: string;
    }
  | { readonly what: "revoked"; readonly computer: PairedComputer; readonly by: string };

export interface PairingOptions {
  /** Where the approved computers are kept. */
  path: string;
  /** `on`: every computer needs approval, and a program that shows a code. */
  mode: "auto" | "on";
  /** Whether a computer that comes this far has shown a link token. */
  hasLinkTokens?: boolean;
  onNews?(news: PairingNews): void;
  /** Told of the secret of a computer when it is given or shown, and when it is taken away. */
  onSecret?(key: string, secret: string | undefined): void;
  codeMs?: number;
}

/**
 * Which computers may link. One that shows a code gets a secret when it is approved; another is recognized by
 * what it says of itself and by its address.
 */
export class Pairing implements PairingDesk {
  readonly #options: PairingOptions;
  readonly #paired: PairedComputers;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();

  /** Throws a PairingFileError when the file cannot be used. */
  constructor(options: PairingOptions) {
    this.#options = options;
    this.#paired = new PairedComputers(options.path, (key) => options.onSecret?.(key, undefined));
  }

  /** Computers that wait now, oldest first. */
  pending(): readonly PendingPairing[] {
    return [...this.#waiting.values()]
      .filter(({ declined }) => !declined)
      .map(({ pending }) => pending);
  }

  /** Computers that are approved. */
  paired(): readonly PairedComputer[] {
    return this.#paired.list();
  }

  /** Calls back whenever one of the lists changes, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  accepts({ key }: ComputerIdentity, secret: string | undefined): boolean {
    const secretHash = this.#paired.secretHash(key);
    if (secretHash === undefined || secret === undefined) return false;
    const isRight = timingSafeEqual(Buffer.from(secretHash, "hex"), hash(secret));
    if (isRight) this.#options.onSecret?.(key, secret);
    return isRight;
  }

  admits(identity: ComputerIdentity, origin: Origin): boolean {
    const { mode, hasLinkTokens = false } = this.#options;
    if (mode === "on") return false;
    return hasLinkTokens || origin.isLocal === true || this.#paired.isApproved(identity, origin);
  }

  open(computer: WaitingComputer, events: Events): ReturnType<PairingDesk["open"]> {
    const { mode, codeMs = CODE_MS } = this.#options;
    const { identity, origin, showsCode } = computer;
    if (mode === "on" && !showsCode) return undefined;
    this.#makeRoom(origin);
    let code = newCode();
    while (this.#waiting.has(code)) code = newCode();
    const { computerId, label, world, key } = identity;
    const pending: PendingPairing = {
      ...{ code, showsCode, computerId, label, world },
      address: whereFrom(origin),
      at: Date.now(),
      replaces: this.#paired.has(key),
    };
    const waiting: Waiting = {
      ...{ pending, computer, events },
      peer: addressKey(origin.address),
      declined: false,
      close: () => {
        clearTimeout(timer);
        if (this.#waiting.delete(code)) this.#tell();
      },
    };
    // A computer that shows no code has nothing that expires: it waits for as long as it is connected.
    const timer = showsCode ? setTimeout(() => this.#end(waiting, "expired"), codeMs) : undefined;
    timer?.unref();
    this.#waiting.set(code, waiting);
    this.#options.onNews?.({ what: "asked", pending });
    this.#tell();
    return { code, expiresInMs: codeMs, close: waiting.close };
  }

  /**
   * Approves the computer with this code; undefined when none waits with it. Throws a PairingFileError, and approves
   * nothing, when that cannot be kept.
   */
  confirm(typed: string, by: string): PendingPairing | undefined {
    const waiting = this.#find(typed);
    if (waiting === undefined) return undefined;
    const { pending, events } = waiting;
    const { identity, origin, showsCode } = waiting.computer;
    const { key, computerId, label, world } = identity;
    const facts = { key, computerId, label, world, pairedAt: Date.now(), pairedBy: by };
    let secret: string | undefined;
    if (showsCode) {
      secret = randomBytes(32).toString("base64url");
      this.#paired.addSecret({ ...facts, secretHash: hash(secret).toString("hex") });
      this.#options.onSecret?.(key, secret);
    } else {
      this.#paired.addApproval({ ...facts, ...recognize(identity, origin) });
    }
    waiting.close();
    events.approved(secret);
    this.#options.onNews?.({ what: "confirmed", pending, by });
    this.#tell();
    return pending;
  }

  /** Takes a computer off the list; false when it does not wait. It stays connected, and harmless. */
  decline(typed: string, by: string): boolean {
    const waiting = this.#find(typed);
    if (waiting === undefined) return false;
    waiting.declined = true;
    this.#options.onNews?.({ what: "declined", pending: waiting.pending, by });
    this.#tell();
    return true;
  }

  /** Takes the approval of one computer back; undefined when it has none. The caller ends its link. */
  revoke(key: string, by: string): PairedComputer | undefined {
    const computer = this.#paired.remove(key);
    if (computer === undefined) return undefined;
    this.#options.onNews?.({ what: "revoked", computer, by });
    this.#tell();
    return computer;
  }

  /** No computer waits any more. */
  close(): void {
    for (const { close } of [...this.#waiting.values()]) close();
  }

  #find(typed: string): Waiting | undefined {
    const waiting = this.#waiting.get(readCode(typed));
    return waiting?.declined === false ? waiting : undefined;
  }

  /**
   * Ends the wait of another computer if there are too many: a newcomer always gets a code, however many connections
   * a hostile computer opens, behind the same address or others.
   */
  #makeRoom({ address }: Origin): void {
    const all = [...this.#waiting.values()];
    const ofAddress = all.filter(({ peer }) => peer === addressKey(address));
    if (ofAddress.length >= limits.pairingsPerAddress) this.#displace(ofAddress);
    else if (all.length >= limits.pairings) this.#displace(largestGroup(all, ({ peer }) => peer));
  }

  /**
   * One that was declined, or else of the identity that waits most often, or of all where each waits once. The older
   * half stays, because a flood of made-up identities must not take a code that the owner is about to confirm; the
   * younger half changes, so that a newcomer has one too.
   */
  #displace(candidates: readonly Waiting[]): void {
    const group = largestGroup(candidates, ({ computer }) => computer.identity.key);
    const crowd = group.length > 1 ? group : candidates;
    const declined = candidates.find((each) => each.declined);
    const victim = declined ?? crowd[Math.floor(crowd.length / 2)];
    if (victim !== undefined) this.#end(victim, "displaced");
  }

  #end({ close, events }: Waiting, reason: "expired" | "displaced"): void {
    close();
    events.ended(reason);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The items that have the most in common; of several such groups the one that began first. */
function largestGroup<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  let largest: readonly T[] = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}

function hash(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
