import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ComputerIdentity } from "@ccbridge/registry";
import { limits } from "../limits.js";
import { addressKey } from "../net/address-key.js";
import { newCode, readCode } from "./codes.js";
import { readPairings, type StoredPairing, writePairings } from "./store.js";

/** How long a code is good for. */
const CODE_MS = 600_000;
const MAX_PAIRED = 8_192;

/** A computer that shows a code and waits for somebody to confirm it. */
export interface PendingPairing {
  readonly code: string;
  readonly computerId: number;
  readonly label: string | null;
  readonly world: string | null;
  readonly address: string;
  readonly at: number;
  /** Whether a computer of this identity is paired already: this one may be another that claims to be it. */
  readonly replaces: boolean;
}

/** A computer that has a secret of its own. */
export type PairedComputer = Omit<StoredPairing, "secretHash">;

/** Shows a code until it is confirmed, or closed. */
export interface OpenPairing {
  readonly code: string;
  readonly expiresInMs: number;
  /** The computer is gone. */
  close(): void;
}

interface Waiting {
  readonly pending: PendingPairing;
  readonly identity: ComputerIdentity;
  confirmed(secret: string): void;
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
  /** Where the paired computers are kept. */
  path: string;
  onNews?(news: PairingNews): void;
  /** Told of the secret of a computer when it is given or shown, and when it is taken away. */
  onSecret?(key: string, secret: string | undefined): void;
  codeMs?: number;
}

/** Which computers may link: each with a secret that it got when somebody confirmed its code. */
export class Pairing {
  readonly #options: PairingOptions;
  readonly #paired: Map<string, StoredPairing>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();

  /** Throws a PairingFileError when the file cannot be used. */
  constructor(options: PairingOptions) {
    this.#options = options;
    this.#paired = new Map(readPairings(options.path).map((stored) => [stored.key, stored]));
  }

  /** Computers that show a code now, oldest first. */
  pending(): readonly PendingPairing[] {
    return [...this.#waiting.values()].map(({ pending }) => pending);
  }

  /** Computers that are paired. */
  paired(): readonly PairedComputer[] {
    return [...this.#paired.values()].map(({ secretHash: _, ...computer }) => computer);
  }

  /** Calls back whenever one of the lists is another one, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether a computer shows the secret that it got. */
  accepts({ key }: ComputerIdentity, secret: string | undefined): boolean {
    const stored = this.#paired.get(key);
    if (stored === undefined || secret === undefined) return false;
    const isRight = timingSafeEqual(Buffer.from(stored.secretHash, "hex"), hash(secret));
    if (isRight) this.#options.onSecret?.(key, secret);
    return isRight;
  }

  /** Gives a computer a code to show; undefined when too many wait. */
  open(
    identity: ComputerIdentity,
    address: string,
    events: { confirmed(secret: string): void; expired(): void },
  ): OpenPairing | undefined {
    const peer = addressKey(address);
    const ofAddress = this.pending().filter(
      (pending) => addressKey(pending.address) === peer,
    ).length;
    if (this.#waiting.size >= limits.pairings || ofAddress >= limits.pairingsPerAddress) {
      return undefined;
    }
    let code = newCode();
    while (this.#waiting.has(code)) code = newCode();
    const { computerId, label, world, key } = identity;
    const expiresInMs = this.#options.codeMs ?? CODE_MS;
    const replaces = this.#paired.has(key);
    const at = Date.now();
    const pending = { code, computerId, label, world, address, at, replaces };
    const close = () => {
      clearTimeout(timer);
      if (this.#waiting.delete(code)) this.#tell();
    };
    const timer = setTimeout(() => {
      close();
      events.expired();
    }, expiresInMs);
    timer.unref();
    this.#waiting.set(code, { pending, identity, confirmed: events.confirmed, close });
    this.#options.onNews?.({ what: "asked", pending });
    this.#tell();
    return { code, expiresInMs, close };
  }

  /**
   * Gives the computer that shows this code a secret of its own; undefined when none shows it. Throws a
   * PairingFileError, and pairs nothing, when it cannot be kept.
   */
  confirm(typed: string, by: string): PendingPairing | undefined {
    const waiting = this.#waiting.get(readCode(typed));
    if (waiting === undefined) return undefined;
    const { pending, identity } = waiting;
    const { key, computerId, label, world } = identity;
    const secret = randomBytes(32).toString("base64url");
    const secretHash = hash(secret).toString("hex");
    const stored = {
      key,
      computerId,
      label,
      world,
      secretHash,
      pairedAt: Date.now(),
      pairedBy: by,
    };
    this.#keep(new Map(this.#paired).set(key, stored));
    this.#options.onSecret?.(key, secret);
    waiting.close();
    waiting.confirmed(secret);
    this.#options.onNews?.({ what: "confirmed", pending, by });
    this.#tell();
    return pending;
  }

  /** Takes a code away; false when no computer shows it. */
  decline(typed: string, by: string): boolean {
    const waiting = this.#waiting.get(readCode(typed));
    if (waiting === undefined) return false;
    waiting.close();
    this.#options.onNews?.({ what: "declined", pending: waiting.pending, by });
    return true;
  }

  /** Takes the secret of one computer away; undefined when it has none. The caller ends its link. */
  revoke(key: string, by: string): PairedComputer | undefined {
    const stored = this.#paired.get(key);
    if (stored === undefined) return undefined;
    const left = new Map(this.#paired);
    left.delete(key);
    this.#keep(left);
    this.#options.onSecret?.(key, undefined);
    const { secretHash: _, ...computer } = stored;
    this.#options.onNews?.({ what: "revoked", computer, by });
    this.#tell();
    return computer;
  }

  /** Nobody waits. */
  close(): void {
    for (const { close } of [...this.#waiting.values()]) close();
  }

  #keep(paired: Map<string, StoredPairing>): void {
    const [oldest] = paired.keys();
    if (paired.size > MAX_PAIRED && oldest !== undefined) {
      paired.delete(oldest);
      this.#options.onSecret?.(oldest, undefined);
    }
    writePairings(this.#options.path, [...paired.values()]);
    this.#paired.clear();
    for (const [key, stored] of paired) this.#paired.set(key, stored);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function hash(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
