import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { ComputerProvider, Origin, PairingDesk, WaitingComputer } from "@ccbridge/registry";
import { addressKey } from "../../config/addresses.js";
import { limits } from "../../config/limits.js";
import {
  describeOrigin,
  type PairedComputer,
  PairedComputers,
  recognize,
  type SharedPairing,
} from "./paired.js";

/** No characters that look alike, also in the game's font. */
const ALPHABET = "ABCDEFGHJKMNPQRTUVWXYZ2346789";
const LENGTH = 6;

function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${letters.slice(0, 3).join("")}-${letters.slice(3).join("")}`;
}

function readCode(typed: string): string {
  const letters = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return `${letters.slice(0, 3)}-${letters.slice(3)}`;
}

const CODE_MS = 600_000;

export interface PendingPairing {
  /** Shown on the computer's screen. For a computer without one, only a name for the request. */
  readonly code: string;
  readonly showsCode: boolean;
  readonly computerId: number;
  readonly label: string | null;
  readonly world: string | null;
  readonly address: string;
  readonly at: number;
  /** Whether a computer with this identity is already approved: this one may be an impostor. */
  readonly replaces: boolean;
}

type Events = Parameters<PairingDesk["open"]>[1];

interface Waiting {
  readonly pending: PendingPairing;
  readonly computer: WaitingComputer;
  readonly peer: string;
  readonly events: Events;
  declined: boolean;
  close(): void;
}

type PairingEvent =
  | {
      readonly what: "asked" | "confirmed" | "declined";
      readonly pending: PendingPairing;
      readonly by?: string;
    }
  | { readonly what: "revoked"; readonly computer: PairedComputer; readonly by: string };

/** Computers that wait at other bridges. */
export interface PairingElsewhere {
  pending(): readonly PendingPairing[];
  confirm(code: string, by: string): PendingPairing | undefined;
  decline(code: string, by: string): PendingPairing | undefined;
  /** Those that wait here have changed. */
  changed(): void;
}

type PairingMode = "auto" | "on" | "off";

export interface PairingOptions {
  path: string;
  /** `on`: every computer needs approval, and an agent that shows a code; `off`: none does. */
  mode: PairingMode;
  hasLinkTokens?: boolean;
  onEvent?(event: PairingEvent): void;
  /** Reports the secret of a computer when it is issued or shown, and undefined when it is revoked. */
  onSecret?(key: string, secret: string | undefined): void;
  codeMs?: number;
}

/**
 * Decides which computers may link. A computer that shows a code gets a secret when it is approved;
 * others are recognized by their identity and address.
 */
export class Pairing implements PairingDesk {
  readonly #options: PairingOptions;
  readonly #paired: PairedComputers;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();
  #mode: PairingMode;

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#paired = new PairedComputers(options.path, (key) => options.onSecret?.(key, undefined));
  }

  elsewhere: PairingElsewhere | undefined;

  pending(): readonly PendingPairing[] {
    return [...this.own(), ...(this.elsewhere?.pending() ?? [])];
  }

  /** Those that are connected to this bridge. */
  own(): readonly PendingPairing[] {
    return [...this.#waiting.values()]
      .filter(({ declined }) => !declined)
      .map(({ pending }) => pending);
  }

  /** Computers wait at other bridges, or no longer do. */
  changedElsewhere(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  shared(): readonly SharedPairing[] {
    return this.#paired.shared();
  }

  onShared(listener: (changed: SharedPairing) => void): void {
    this.#paired.onShared = listener;
  }

  merge(shared: SharedPairing): boolean {
    const isNew = this.#paired.merge(shared);
    if (isNew) this.changedElsewhere();
    return isNew;
  }

  paired(): readonly PairedComputer[] {
    return this.#paired.list();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  accepts({ key }: ComputerProvider, secret: string | undefined): boolean {
    const secretHash = this.#paired.secretHash(key);
    if (secretHash === undefined || secret === undefined) return false;
    const isRight = timingSafeEqual(Buffer.from(secretHash, "hex"), hash(secret));
    if (isRight) this.#options.onSecret?.(key, secret);
    return isRight;
  }

  admits(provider: ComputerProvider, origin: Origin): boolean {
    const { hasLinkTokens = false } = this.#options;
    if (this.#mode !== "auto") return this.#mode === "off";
    return hasLinkTokens || origin.isLocal === true || this.#paired.isApproved(provider, origin);
  }

  get mode(): PairingMode {
    return this.#mode;
  }

  /** Computers that wait and need no approval any more are let in. */
  set mode(mode: PairingMode) {
    this.#mode = mode;
    for (const waiting of [...this.#waiting.values()]) {
      const { provider, origin, showsCode } = waiting.computer;
      if (this.admits(provider, origin)) {
        waiting.close();
        waiting.events.approved(undefined);
      } else if (mode === "on" && !showsCode) this.#end(waiting, "expired");
    }
    this.#notify();
  }

  open(computer: WaitingComputer, events: Events): ReturnType<PairingDesk["open"]> {
    const { codeMs = CODE_MS } = this.#options;
    const { provider, origin, showsCode } = computer;
    if (this.#mode === "on" && !showsCode) return undefined;
    this.#makeRoom(origin);
    let code = newCode();
    while (this.#waiting.has(code)) code = newCode();
    const { computerId, label, world, key } = provider;
    const pending: PendingPairing = {
      ...{ code, showsCode, computerId, label, world },
      address: describeOrigin(origin),
      at: Date.now(),
      replaces: this.#paired.has(key),
    };
    const waiting: Waiting = {
      ...{ pending, computer, events },
      peer: addressKey(origin.address),
      declined: false,
      close: () => {
        clearTimeout(timer);
        if (this.#waiting.delete(code)) this.#notify();
      },
    };
    // A computer that shows no code has nothing that can expire: it waits while it is connected.
    const timer = showsCode ? setTimeout(() => this.#end(waiting, "expired"), codeMs) : undefined;
    timer?.unref();
    this.#waiting.set(code, waiting);
    this.#options.onEvent?.({ what: "asked", pending });
    this.#notify();
    return { code, expiresInMs: codeMs, close: waiting.close };
  }

  /**
   * Approves the computer with this code; undefined when no computer waits with it. Throws a
   * PairingFileError, and approves nothing, when the file cannot be written.
   */
  confirm(typed: string, by: string): PendingPairing | undefined {
    const waiting = this.#find(typed);
    if (waiting === undefined) return this.elsewhere?.confirm(readCode(typed), by);
    const { pending, events } = waiting;
    const { provider, origin, showsCode } = waiting.computer;
    const { key, computerId, label, world } = provider;
    const { code } = pending;
    const facts = { key, computerId, label, world, pairedAt: Date.now(), pairedBy: by, code };
    let secret: string | undefined;
    if (showsCode) {
      secret = randomBytes(32).toString("base64url");
      this.#paired.addSecret({ ...facts, secretHash: hash(secret).toString("hex") });
      this.#options.onSecret?.(key, secret);
    } else {
      this.#paired.addApproval({ ...facts, ...recognize(provider, origin) });
    }
    waiting.close();
    events.approved(secret);
    this.#options.onEvent?.({ what: "confirmed", pending, by });
    this.#notify();
    return pending;
  }

  /** Hides a computer from the list; false when it does not wait. It stays connected without access. */
  decline(typed: string, by: string): boolean {
    const waiting = this.#find(typed);
    if (waiting === undefined) return this.elsewhere?.decline(readCode(typed), by) !== undefined;
    waiting.declined = true;
    this.#options.onEvent?.({ what: "declined", pending: waiting.pending, by });
    this.#notify();
    return true;
  }

  /** The approved computers that an owner means by a key, a code, an id or a label: the first of these that fits. */
  meant(typed: string): PairedComputer[] {
    const code = readCode(typed);
    const label = typed.toLowerCase();
    const tests: ((computer: PairedComputer) => boolean)[] = [
      (computer) => computer.key === typed,
      (computer) => computer.code === code,
      (computer) => String(computer.computerId) === typed,
      (computer) => computer.label?.toLowerCase() === label,
    ];
    const all = new Map(this.paired().map((computer) => [computer.key, computer]));
    const found = tests.map((fits) => [...all.values()].filter(fits));
    return found.find((computers) => computers.length > 0) ?? [];
  }

  /** Undefined when it is not approved. The caller must close its link. */
  revoke(key: string, by: string): PairedComputer | undefined {
    const computer = this.#paired.remove(key);
    if (computer === undefined) return undefined;
    this.#options.onEvent?.({ what: "revoked", computer, by });
    this.#notify();
    return computer;
  }

  close(): void {
    for (const { close } of [...this.#waiting.values()]) close();
  }

  #find(typed: string): Waiting | undefined {
    const waiting = this.#waiting.get(readCode(typed));
    return waiting?.declined === false ? waiting : undefined;
  }

  // Displaces another request if there are too many: a new computer always gets a code, however
  // many connections a hostile computer opens, from one address or several.
  #makeRoom({ address }: Origin): void {
    const all = [...this.#waiting.values()];
    const ofAddress = all.filter(({ peer }) => peer === addressKey(address));
    if (ofAddress.length >= limits.pairingsPerAddress) this.#displace(ofAddress);
    else if (all.length >= limits.pairings) this.#displace(largestGroup(all, ({ peer }) => peer));
  }

  // Displaces a declined request, or else one from the largest group of the same identity. The
  // older half is kept, because a flood of made-up identities must not displace a code that the
  // owner is about to confirm. The newer half is displaced, so that a new computer also gets a
  // code.
  #displace(candidates: readonly Waiting[]): void {
    const group = largestGroup(candidates, ({ computer }) => computer.provider.key);
    const crowd = group.length > 1 ? group : candidates;
    const declined = candidates.find((each) => each.declined);
    const victim = declined ?? crowd[Math.floor(crowd.length / 2)];
    if (victim !== undefined) this.#end(victim, "displaced");
  }

  #end({ close, events }: Waiting, reason: "expired" | "displaced"): void {
    close();
    events.ended(reason);
  }

  #notify(): void {
    this.elsewhere?.changed();
    for (const listener of [...this.#listeners]) listener();
  }
}

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
