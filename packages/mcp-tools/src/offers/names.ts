import { fileHash } from "@ccbridge/protocol";
import { utf8 } from "../format/bytes.js";

/** A placeholder for any letter. */
const ANY = "?";

/**
 * What a name looks like at a glance: names with the same look are mistaken for one another. Case, separators,
 * accents and what is invisible do not count, nor do letters that resemble each other. A letter of another
 * script, which may resemble any letter, becomes {@link ANY}.
 */
function confusableKey(name: string): string {
  return inAscii(name)
    .toLowerCase()
    .replace(/[-_]/g, "")
    .replace(/[i1|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}

function inAscii(name: string): string {
  if (/^[\w-]*$/.test(name)) return name;
  return name
    .normalize("NFKD")
    .replace(/[\p{DI}\p{C}\p{M}\p{P}\p{Z}$+<=>^`~]/gu, "")
    .replace(/[^a-zA-Z0-9|]/gu, ANY);
}

function isMistakable(look: string, others: ReadonlySet<string>): boolean {
  if (!look.includes(ANY)) return others.has(look);
  const pattern = new RegExp(`^${look.replaceAll(ANY, ".")}$`);
  for (const other of others) {
    if (other.length === look.length && pattern.test(other)) return true;
  }
  return false;
}

export const MAX_NAME_LENGTH = 48;

/** Internal tools of pages, which clients do not see. */
const HIDDEN = /^__btcp_/;

/** How many names are remembered while no provider offers them: for one provider, and for all. */
const REMEMBERED = { ofOne: 256, ofAll: 8_192 };

/** More owners than this are not counted: a name is shared from two on. */
const MAX_OWNERS = 64;

export interface NamedOffer {
  readonly key: string;
  readonly tag: string;
  readonly tools: readonly { readonly name: string; readonly signature: string }[];
}

export interface NamedTool {
  readonly shown: string;
  readonly offered: string;
  readonly signature: string;
  readonly providers: readonly string[];
  /** Whether a call must choose a provider, since the name has stood for more than one. */
  readonly isShared: boolean;
}

interface Claim {
  readonly shown: string;
  readonly offered: string;
  readonly owners: Set<string>;
  readonly isOpen: boolean;
  signature: string;
}

/**
 * Gives offered tools the names that clients see, and remembers them: a name that has stood for one
 * provider never silently moves to another. So the first to offer a name gets it; a provider that offers the
 * same name with the same input joins, and from then on every call must choose between them, even when only
 * one is left; a provider that offers a different input under that name gets it with a tag.
 */
export class OfferedNames {
  readonly #reserved: ReadonlySet<string>;
  readonly #claims = new Map<string, Claim>();

  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set([...reserved].map(confusableKey));
  }

  get size(): number {
    return this.#claims.size;
  }

  assign(offers: readonly NamedOffer[]): NamedTool[] {
    const named = new Map<Claim, { signature: string; providers: string[] }>();
    const add = (claim: Claim, signature: string, key: string) => {
      const tool = named.get(claim) ?? { signature, providers: [] };
      named.set(claim, tool);
      tool.providers.push(key);
    };
    const plain = this.#plainClaims(offers);
    for (const { key, tag, tools } of offers) {
      for (const { name, signature } of tools) {
        if (HIDDEN.test(name)) continue;
        const shared = plain.get(name);
        const joins = shared?.signature === signature;
        const claim = joins ? shared : this.#ownClaim(key, tag, name);
        if (claim === undefined) continue;
        claim.signature = signature;
        if (claim.owners.size < MAX_OWNERS) claim.owners.add(key);
        add(claim, signature, key);
      }
    }
    this.#forget(new Set(named.keys()));
    return [...named].map(([{ shown, offered, owners }, { signature, providers }]) => ({
      shown,
      offered,
      signature,
      providers,
      isShared: owners.size > 1,
    }));
  }

  /** Who has each offered name without a tag, and with which input from now on. */
  #plainClaims(offers: readonly NamedOffer[]): Map<string, Claim> {
    const offered = new Map<string, { key: string; signature: string }[]>();
    for (const { key, tools } of offers) {
      for (const { name, signature } of tools) {
        const all = offered.get(name) ?? [];
        offered.set(name, all);
        all.push({ key, signature });
      }
    }
    const plain = new Map<string, Claim>();
    for (const [name, all] of offered) {
      const claim = this.#plainClaim(name, all);
      if (claim !== undefined) plain.set(name, claim);
    }
    return plain;
  }

  #plainClaim(name: string, all: readonly { key: string; signature: string }[]): Claim | undefined {
    const [first] = all;
    const shown = clean(name).slice(0, MAX_NAME_LENGTH);
    const look = confusableKey(shown);
    // A letter of another script is shown as _, so what was offered is compared too.
    const isReserved =
      this.#reserved.has(look) ||
      (shown !== name && isMistakable(confusableKey(name), this.#reserved));
    if (first === undefined || HIDDEN.test(name) || isReserved) return undefined;
    const claim = this.#claims.get(look);
    if (claim === undefined) return this.#claim({ shown, offered: name, isOpen: true }, first);
    if (claim.offered !== name || !claim.isOpen) return undefined;
    const owners = all.filter(({ key }) => claim.owners.has(key));
    const [owner] = owners;
    // None of its owners still has that input: the first one present decides what it is now.
    if (owner !== undefined && owners.every(({ signature }) => signature !== claim.signature)) {
      claim.signature = owner.signature;
    }
    return claim;
  }

  /** The tagged name of a provider's tool that cannot have the plain name. */
  #ownClaim(key: string, tag: string, name: string): Claim | undefined {
    const endings = [clean(tag), hashOf(`${key} ${name}`)];
    for (const ending of endings) {
      const room = MAX_NAME_LENGTH - ending.length - 1;
      if (room < 1) continue;
      const shown = `${clean(name).slice(0, room)}_${ending}`;
      const claim = this.#claims.get(confusableKey(shown));
      const isOurs = claim?.offered === name && !claim.isOpen && claim.owners.has(key);
      if (claim !== undefined && isOurs) return claim;
      if (claim !== undefined || this.#reserved.has(confusableKey(shown))) continue;
      return this.#claim({ shown, offered: name, isOpen: false }, { key, signature: "" });
    }
    return undefined;
  }

  #claim(
    about: Pick<Claim, "shown" | "offered" | "isOpen">,
    { key, signature }: { key: string; signature: string },
  ): Claim {
    const claim = { ...about, signature, owners: new Set([key]) };
    this.#claims.set(confusableKey(about.shown), claim);
    return claim;
  }

  /** Drops the oldest names that no provider offers, when one provider or all of them have too many. */
  #forget(inUse: ReadonlySet<Claim>): void {
    const counts = new Map<string, number>();
    for (const { owners } of this.#claims.values()) {
      const [owner = ""] = owners;
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    for (const [name, claim] of this.#claims) {
      const [owner = ""] = claim.owners;
      const count = counts.get(owner) ?? 0;
      const isTooMany = count > REMEMBERED.ofOne || this.#claims.size > REMEMBERED.ofAll;
      if (!isTooMany || inUse.has(claim)) continue;
      this.#claims.delete(name);
      counts.set(owner, count - 1);
    }
  }
}

/**
 * Names that differ only in this mean the same to a caller and in a rule: some clients turn `-` into `_` or the
 * other way round, and people forget the case.
 */
export function fold(name: string): string {
  return name.replaceAll("-", "_").toLowerCase();
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_");
}

function hashOf(text: string): string {
  return fileHash(utf8(text)).slice(3, 11);
}
