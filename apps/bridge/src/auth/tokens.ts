import { createHash, timingSafeEqual } from "node:crypto";
import type { ComputersOptions } from "@ccbridge/registry";
import type { FastifyRequest } from "fastify";
import type { Audit } from "../calls/audit/audit.js";
import type { Config } from "../config/settings.js";
import { TOO_MANY_GUESSES } from "../http/errors.js";
import type { PeerLog } from "../monitor/peer-log.js";
import type { GuessLimiter } from "./guess-limiter.js";

/** Checks tokens in constant time. Without any tokens all clients pass. */
export class TokenCheck {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  get required(): boolean {
    return this.#digests.length > 0;
  }

  accepts(token: string | undefined): boolean {
    if (!this.required) return true;
    if (token === undefined) return false;
    const given = digest(token);
    let found = false;
    // Compares every digest, so that the time does not reveal which one matches.
    for (const known of this.#digests) found = timingSafeEqual(known, given) || found;
    return found;
  }
}

/** Compares in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/** Hashed, because timingSafeEqual needs equal lengths. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}

export function connectionToken(request: FastifyRequest): string | undefined {
  const query = request.query as { token?: string | string[] };
  const fromUrl = Array.isArray(query.token) ? query.token[0] : query.token;
  return bearerToken(request.headers.authorization) ?? fromUrl;
}

export interface LinkTokenOptions {
  config: Config;
  guesses: GuessLimiter;
  log: PeerLog;
  audit: Audit;
}

export function linkTokenCheck({
  config,
  guesses,
  log,
  audit,
}: LinkTokenOptions): NonNullable<ComputersOptions["authorize"]> {
  const tokens = new TokenCheck(config.linkTokens);
  return (token, { address }) => {
    if (!tokens.required) return true;
    const waitMs = token === undefined ? 0 : guesses.waitMs(address, token);
    if (waitMs > 0) {
      log.warn({ address }, "link token not checked: too many wrong tokens from this address");
      return { laterBecause: TOO_MANY_GUESSES };
    }
    if (token !== undefined && tokens.accepts(token)) {
      guesses.passed(address, token);
      return true;
    }
    // A missing token is a mistake, not a guess.
    if (token !== undefined) guesses.failed(address);
    log.warn({ address }, "link token refused");
    audit.note("link-token-refused", { address });
    return false;
  };
}
