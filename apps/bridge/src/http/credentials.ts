import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PeerLog } from "../peer-log.js";
import { FailureGate } from "./failures.js";
import { localPort, refuse, refuseGuesser } from "./guard.js";
import { isNonce, Prover } from "./proof.js";
import { bearerToken, TokenCheck } from "./tokens.js";

export interface CredentialsOptions {
  tokens: readonly string[];
  log: PeerLog;
  /** Whether a request belongs to somebody who was let in before with this very credential. */
  isKnown(request: FastifyRequest, credential: string): boolean;
}

/** A hook that lets a request in or answers it. */
export type TokenHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * What a request shows to be let in: one of the tokens, or a ticket of somebody who knows one. A client on
 * a WebSocket cannot set headers, so it may put the token into the URL.
 */
export function requestCredential(request: FastifyRequest): string | undefined {
  const fromHeader = bearerToken(request.headers.authorization);
  if (fromHeader !== undefined || !request.ws) return fromHeader;
  const { token } = request.query as { token?: string | string[] };
  return typeof token === "string" ? token : undefined;
}

/** Asks MCP clients for a token, if there are any, and slows down those who guess. */
export class Credentials {
  readonly #options: CredentialsOptions;
  readonly #tokens: TokenCheck;
  readonly #prover: Prover;
  readonly #gate = new FailureGate();

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.#tokens = new TokenCheck(options.tokens);
    this.#prover = new Prover(options.tokens);
  }

  /** A hook for the routes that want a token. */
  readonly require: TokenHook = async (request, reply) => {
    if (!this.#tokens.required) return;
    const credential = requestCredential(request);
    const known = credential !== undefined && this.#options.isKnown(request, credential);
    // Somebody else at the same address may guess: a session that is open does not suffer from that.
    const waitMs =
      known || credential === undefined ? 0 : this.#gate.waitMs(request.ip, credential);
    if (waitMs > 0) return refuseGuesser(reply, waitMs);
    if (this.#accepts(request, credential)) {
      if (!known && credential !== undefined) this.#gate.passed(request.ip, credential);
      return;
    }
    if (credential !== undefined && !this.#prover.isStale(credential)) this.#failed(request);
    const problem = credential === undefined ? "" : ', error="invalid_token"';
    reply.header("WWW-Authenticate", `Bearer realm="ccbridge"${problem}`);
    return refuse(
      reply,
      401,
      "This bridge wants a token: Authorization: Bearer <one of MCP_TOKENS>.",
    );
  };

  /** Where a client and this bridge prove to each other that they know the same token. */
  register(app: FastifyInstance): void {
    app.get("/proof", async () => ({
      name: "ccbridge",
      challenge: this.#tokens.required ? this.#prover.challenge() : null,
    }));
    app.post("/proof", { bodyLimit: 1_024 }, async (request, reply) => {
      const waitMs = this.#gate.waitMs(request.ip);
      if (waitMs > 0) return refuseGuesser(reply, waitMs);
      const { nonce, challenge, proof } = parse(request.body);
      if (!isNonce(nonce) || typeof challenge !== "string" || typeof proof !== "string") {
        return refuse(reply, 400, "A proof is made of nonce, challenge and proof.");
      }
      const exchanged = { port: localPort(request), nonce, challenge };
      const answer = this.#prover.answer(exchanged, proof);
      if (answer !== undefined) return { proof: answer };
      this.#failed(request);
      return refuse(reply, 401, "This proof does not show one of MCP_TOKENS.");
    });
  }

  #accepts(request: FastifyRequest, credential: string | undefined): boolean {
    if (this.#tokens.accepts(credential)) return true;
    return credential !== undefined && this.#prover.accepts(credential, localPort(request));
  }

  #failed({ ip }: FastifyRequest): void {
    this.#gate.failed(ip);
    this.#options.log.warn({ address: ip }, "MCP token refused");
  }
}

function parse(body: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(body));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
