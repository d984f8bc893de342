import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from "fastify";
import { errorBody, RpcErrorCode, refuse, refuseGuesser } from "../http/errors.js";
import { localPort } from "../http/guard.js";
import type { PeerLog } from "../monitor/peer-log.js";
import type { Clients } from "./clients.js";
import type { GuessLimiter } from "./guess-limiter.js";
import { isNonce, Prover } from "./proof.js";
import type { Client } from "./rights/client.js";
import { bearerToken } from "./tokens.js";

export interface CredentialsOptions {
  clients: Clients;
  guesses: GuessLimiter;
  log: PeerLog;
  isKnown(request: FastifyRequest, credential: string): boolean;
  onRefused?(address: string): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null on routes that need no token. */
    client: Client | null;
  }
}

export type TokenHook = onRequestHookHandler;

/**
 * A token, or a ticket from a client that proved it knows one. WebSocket clients in browsers cannot
 * set headers, so the token may be in the URL.
 */
export function requestCredential(request: FastifyRequest): string | undefined {
  const fromHeader = bearerToken(request.headers.authorization);
  if (fromHeader !== undefined || !request.ws) return fromHeader;
  const { token } = request.query as { token?: string | string[] };
  return typeof token === "string" ? token : undefined;
}

export class Credentials {
  readonly #options: CredentialsOptions;
  readonly #clients: Clients;
  readonly #prover: Prover;
  readonly #guesses: GuessLimiter;

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.#clients = options.clients;
    this.#guesses = options.guesses;
    this.#prover = new Prover(options.clients);
  }

  readonly require: TokenHook = (request, reply, done) => {
    const credential = requestCredential(request);
    const known = credential !== undefined && this.#options.isKnown(request, credential);
    // Guesses from the same address do not affect an open session.
    const isGuess = this.#clients.required && credential !== undefined && !known;
    const waitMs = isGuess ? this.#guesses.waitMs(request.ip, credential) : 0;
    if (waitMs > 0) {
      refuseGuesser(reply, waitMs);
      return;
    }
    request.client = this.#clientOf(request, credential) ?? null;
    if (request.client !== null) {
      if (isGuess) this.#guesses.passed(request.ip, credential);
      return done();
    }
    if (credential !== undefined && !this.#prover.isStale(credential)) this.#failed(request);
    refuseToken(reply, credential);
  };

  readonly #recheck: preHandlerHookHandler = (request, reply, done) => {
    if (request.client === null || this.#clients.has(request.client)) return done();
    const credential = requestCredential(request);
    request.client = this.#clientOf(request, credential) ?? null;
    if (request.client !== null) return done();
    refuseToken(reply, credential);
  };

  register(app: FastifyInstance): void {
    app.decorateRequest("client", null);
    app.addHook("preHandler", this.#recheck);
    app.get("/proof", async () => ({
      name: "ccbridge",
      challenge: this.#clients.required ? this.#prover.challenge() : null,
    }));
    app.post("/proof", { bodyLimit: 1_024 }, async (request, reply) => {
      const waitMs = this.#guesses.waitMs(request.ip);
      if (waitMs > 0) return refuseGuesser(reply, waitMs);
      const { nonce, challenge, proof } = parse(request.body);
      if (!isNonce(nonce) || typeof challenge !== "string" || typeof proof !== "string") {
        return refuse(reply, 400, "A proof consists of nonce, challenge and proof.");
      }
      const exchanged = { port: localPort(request), nonce, challenge };
      const answer = this.#prover.answer(exchanged, proof);
      if (answer !== undefined) return { proof: answer };
      this.#failed(request);
      return refuse(reply, 401, "This proof does not match any of MCP_TOKENS.");
    });
  }

  #clientOf(request: FastifyRequest, credential: string | undefined): Client | undefined {
    const client = this.#clients.find(credential);
    if (client !== undefined || credential === undefined) return client;
    const token = this.#prover.tokenOf(credential, localPort(request));
    return token === undefined ? undefined : this.#clients.find(token);
  }

  #failed({ ip }: FastifyRequest): void {
    this.#guesses.failed(ip);
    this.#options.onRefused?.(ip);
    this.#options.log.warn({ address: ip }, "MCP token refused");
  }
}

function refuseToken(reply: FastifyReply, credential: string | undefined): void {
  const problem = credential === undefined ? "" : ', error="invalid_token"';
  reply.header("WWW-Authenticate", `Bearer realm="ccbridge"${problem}`);
  const text = "This bridge requires a token: Authorization: Bearer <one of MCP_TOKENS>.";
  const body = errorBody(RpcErrorCode.refused, text, null, { code: "AUTH_FAILED" });
  reply.code(401).type("application/json").send(body);
}

function parse(body: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(body));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
