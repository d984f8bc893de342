import { createHash, timingSafeEqual } from "node:crypto";

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
