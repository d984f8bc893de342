import { createHash, timingSafeEqual } from "node:crypto";
import { anyone, type Client, isExpired } from "./rights/client.js";
import type { TokenLine } from "./rights/token-line.js";

interface Entry extends TokenLine {
  readonly digest: Buffer;
  /** Undefined: not since the bridge started. */
  usedAt: number | undefined;
}

export interface TokenFacts extends Pick<TokenLine, "client" | "words"> {
  readonly usedAt: number | undefined;
}

/** The MCP clients by token. Tokens are compared in constant time. */
export class Clients {
  edition = 0;
  #entries: readonly Entry[];
  readonly #defaultNames = new Map<string, string>();
  readonly #expired = new WeakSet<Client>();
  readonly #listeners = new Set<(gone: ReadonlySet<Client>) => void>();

  constructor(lines: readonly TokenLine[]) {
    this.#entries = this.#named(lines).map(withDigest);
  }

  /** Expired tokens count: a bridge whose last token expires must not open to all. */
  get required(): boolean {
    return this.#entries.length > 0;
  }

  /** For proofs; must never be shown. */
  get tokens(): readonly string[] {
    return this.#entries.map(({ token }) => token);
  }

  list(): readonly Client[] {
    return this.#entries.map(({ client }) => client).filter((client) => !isExpired(client));
  }

  /** Including those that have expired. */
  facts(): readonly TokenFacts[] {
    return this.#entries.map(({ client, words, usedAt }) => ({ client, words, usedAt }));
  }

  find(token: string | undefined): Client | undefined {
    if (!this.required) return anyone;
    if (token === undefined) return undefined;
    const given = digest(token);
    let found: Entry | undefined;
    // Compares every digest, so that the time does not reveal which one matches.
    for (const entry of this.#entries) {
      if (timingSafeEqual(entry.digest, given)) found = entry;
    }
    if (found === undefined || isExpired(found.client)) return undefined;
    found.usedAt = Date.now();
    return found.client;
  }

  /** Whether a client that was found earlier still has its token and the same rights. */
  has(client: Client): boolean {
    if (!this.required) return client === anyone;
    return !isExpired(client) && this.#entries.some((entry) => entry.client === client);
  }

  /** Distinguishes a client from a later one of the same name with another token or other rights. */
  fingerprint(client: Client): string {
    const entry = this.#entries.find((each) => each.client === client);
    if (entry === undefined) return "";
    return digest(`${entry.words} ${entry.token}`).toString("hex").slice(0, 16);
  }

  /** Distinguishes tokens, whatever their rights and names are; "" for a client whose token is gone. */
  tokenOf(client: Client): string {
    if (client === anyone) return this.required ? "" : anyone.name;
    const entry = this.#entries.find((each) => each.client === client);
    return entry === undefined || isExpired(client) ? "" : entry.digest.toString("hex");
  }

  /** The client that has a token now, see {@link tokenOf}. */
  withToken(token: string): Client | undefined {
    return [anyone, ...this.list()].find(
      (client) => this.tokenOf(client) === token && token !== "",
    );
  }

  replace(lines: readonly TokenLine[]): void {
    const before = new Map(this.#entries.map((entry) => [entry.token, entry]));
    const gone = new Set(this.#entries.map(({ client }) => client));
    this.edition += 1;
    this.#entries = this.#named(lines).map((line) => {
      const known = before.get(line.token);
      const { name } = line.client;
      if (known?.words !== line.words || known.client.name !== name) return withDigest(line);
      gone.delete(known.client);
      return known;
    });
    if (gone.size > 0) for (const listener of this.#listeners) listener(gone);
  }

  // A default name is derived from the position of a token. Another token at the same position
  // later must not get that name, because earlier calls are shown under it.
  #named(lines: readonly TokenLine[]): TokenLine[] {
    const given = new Set(lines.flatMap(({ isNamed, client }) => (isNamed ? client.name : [])));
    const earlier = new Map([...this.#defaultNames].map(([name, token]) => [token, name]));
    return lines.map((line) => {
      if (line.isNamed) return line;
      const { token, client } = line;
      const isFree = (name: string) =>
        !given.has(name) && (this.#defaultNames.get(name) ?? token) === token;
      let name = earlier.get(token) ?? client.name;
      for (let next = 2; !isFree(name); next++) name = `${client.name}.${next}`;
      this.#defaultNames.set(name, token);
      return { ...line, client: { ...client, name } };
    });
  }

  /** Reports the clients whose end date has passed since the last time. */
  dropExpired(): void {
    const gone = this.#entries
      .map(({ client }) => client)
      .filter((client) => isExpired(client) && !this.#expired.has(client));
    for (const client of gone) this.#expired.add(client);
    if (gone.length > 0) for (const listener of this.#listeners) listener(new Set(gone));
  }

  onGone(listener: (gone: ReadonlySet<Client>) => void): void {
    this.#listeners.add(listener);
  }
}

function withDigest(line: TokenLine): Entry {
  return { ...line, digest: digest(line.token), usedAt: undefined };
}

/** Hashed, because timingSafeEqual needs equal lengths. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
