import { createHmac, randomBytes } from "node:crypto";
import { limits } from "../config/limits.js";
import { sameSecret } from "./tokens.js";

// How a client and a bridge prove to each other that they know the same token, without sending it:
//
//   client -> bridge   GET /proof
//   bridge -> client   { challenge }
//   client -> bridge   POST /proof { nonce, challenge, proof: hmac(token, "client", port, nonce, challenge) }
//   bridge -> client   { proof: hmac(token, "bridge", port, nonce, challenge) }
//
// The client goes first, so that a bridge gives away nothing to guess tokens with. The port is
// the one that both see on the connection: a stranger on another port cannot pass the proofs of the real
// bridge on. What the client shows from then on is a ticket made of the same parts, which is good for
// this run of this bridge only; the token itself never leaves the process.

export interface Exchanged {
  port: number;
  nonce: string;
  challenge: string;
}

type Role = "client" | "bridge" | "ticket";

const TICKET = "ticket";

export function newNonce(): string {
  return randomBytes(24).toString("base64url");
}

export function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{32}$/.test(value);
}

export function proofOf(token: string, role: Role, { port, nonce, challenge }: Exchanged): string {
  const parts = ["ccbridge-proof-1", role, String(port), nonce, challenge];
  return createHmac("sha256", token).update(parts.join("\n")).digest("base64url");
}

export function ticketOf(token: string, exchanged: Exchanged): string {
  const { nonce, challenge } = exchanged;
  return [TICKET, nonce, challenge, proofOf(token, TICKET, exchanged)].join(".");
}

/** The bridge's side. It is stateless: a challenge carries its time and a signature. */
export class Prover {
  readonly #known: { readonly tokens: readonly string[] };
  readonly #secret = randomBytes(32);

  /** Reads the tokens each time, because they may change. */
  constructor(known: { readonly tokens: readonly string[] }) {
    this.#known = known;
  }

  challenge(now = Date.now()): string {
    const text = `${now.toString(36)}-${newNonce()}`;
    return `${text}~${this.#seal(text)}`;
  }

  answer(exchanged: Exchanged, proof: string, now = Date.now()): string | undefined {
    const made = this.#madeAt(exchanged.challenge);
    if (made === undefined || now - made > limits.proofMs) return undefined;
    const token = this.#tokenOf("client", exchanged, proof);
    return token === undefined ? undefined : proofOf(token, "bridge", exchanged);
  }

  tokenOf(ticket: string, port: number): string | undefined {
    const [kind, nonce, challenge, proof, ...rest] = ticket.split(".");
    if (kind !== TICKET || !isNonce(nonce) || challenge === undefined || proof === undefined) {
      return undefined;
    }
    if (rest.length > 0 || this.#madeAt(challenge) === undefined) return undefined;
    return this.#tokenOf(TICKET, { port, nonce, challenge }, proof);
  }

  /** Whether a ticket is from an earlier run of a bridge, so that the client must repeat the proof. */
  isStale(ticket: string): boolean {
    const [kind, , challenge] = ticket.split(".");
    return kind === TICKET && challenge !== undefined && this.#madeAt(challenge) === undefined;
  }

  /** Tries every token, so that the time does not reveal which one matches. */
  #tokenOf(role: Role, exchanged: Exchanged, proof: string): string | undefined {
    let found: string | undefined;
    for (const token of this.#known.tokens) {
      if (sameSecret(proofOf(token, role, exchanged), proof)) found = token;
    }
    return found;
  }

  #madeAt(challenge: string): number | undefined {
    const match = /^(([0-9a-z]{1,11})-[\w-]{32})~([\w-]{43})$/.exec(challenge);
    const [, text, time, seal] = match ?? [];
    if (text === undefined || time === undefined || seal === undefined) return undefined;
    return sameSecret(this.#seal(text), seal) ? Number.parseInt(time, 36) : undefined;
  }

  #seal(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}
