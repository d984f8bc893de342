import { createHash, timingSafeEqual } from "node:crypto";
import { anyone, type Client } from "./rights/client.js";
import type { TokenLine } from "./rights/token-line.js";

interface Entry extends TokenLine {
  readonly digest: Buffer;
}

/** Everybody who may come in, by token. Tokens are compared in constant time. */
export class Clients {
  /** Counts how often the tokens were replaced, for those who derive something from them. */
  edition = 0;
  #entries: readonly Entry[];
  /** Which token has had each name that was made up for it. */
  readonly #madeUp = new Map<string, string>();
  readonly #listeners = new Set<(gone: ReadonlySet<Client>) => void>();

  constructor(lines: readonly TokenLine[]) {
    this.#entries = this.#named(lines).map(withDigest);
  }

  /** Whether a token is needed. */
  get required(): boolean {
    return this.#entries.length > 0;
  }

  /** The tokens themselves, for proofs; never to be shown. */
  get tokens(): readonly string[] {
    return this.#entries.map(({ token }) => token);
  }

  list(): readonly Client[] {
    return this.#entries.map(({ client }) => client);
  }

  /** Who shows this token; undefined when nobody may come in with it. */
  find(token: string | undefined): Client | undefined {
    if (!this.required) return anyone;
    if (token === undefined) return undefined;
    const given = digest(token);
    let found: Client | undefined;
    // Every digest is compared, so that the time does not reveal which one matches.
    for (const { digest: known, client } of this.#entries) {
      if (timingSafeEqual(known, given)) found = client;
    }
    return found;
  }

  /** Whether a client that was found before may still come in, with the same rights. */
  has(client: Client): boolean {
    if (!this.required) return client === anyone;
    return this.#entries.some((entry) => entry.client === client);
  }

  /** Puts other tokens in place. A client with the same token and the same rights keeps its name. */
  replace(lines: readonly TokenLine[]): void {
    const before = new Map(this.#entries.map((entry) => [entry.token, entry]));
    const gone = new Set(this.list());
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

  /**
   * A name is made up from where a token is, and others may be there later. They do not get the name: what the
   * first one did is shown under it.
   */
  #named(lines: readonly TokenLine[]): TokenLine[] {
    const given = new Set(lines.flatMap(({ isNamed, client }) => (isNamed ? client.name : [])));
    const earlier = new Map([...this.#madeUp].map(([name, token]) => [token, name]));
    return lines.map((line) => {
      if (line.isNamed) return line;
      const { token, client } = line;
      const isFree = (name: string) =>
        !given.has(name) && (this.#madeUp.get(name) ?? token) === token;
      let name = earlier.get(token) ?? client.name;
      for (let next = 2; !isFree(name); next++) name = `${client.name}.${next}`;
      this.#madeUp.set(name, token);
      return { ...line, client: { ...client, name } };
    });
  }

  /** Reports clients whose token was removed or whose rights changed. */
  onGone(listener: (gone: ReadonlySet<Client>) => void): void {
    this.#listeners.add(listener);
  }
}

function withDigest(line: TokenLine): Entry {
  return { ...line, digest: digest(line.token) };
}

/** Equal length for timingSafeEqual, whatever the token. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
