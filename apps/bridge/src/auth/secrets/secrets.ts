import type { Config } from "../../config/settings.js";

/** Shorter secrets would match ordinary text. */
const MIN_LENGTH = 8;
const REMOVED = "[secret]";
const CUT = "...";
const FILTER_MASK = 0x3ffff;
const FEW = 32;

export interface SecretSource {
  readonly edition: number;
  readonly tokens: readonly string[];
}

interface Anchor {
  readonly secret: string;
  readonly isEnd: boolean;
}

/**
 * Redacts the secrets of this bridge in texts. A text is scanned once, however many secrets there
 * are: a rolling hash over eight characters finds where one may begin or end.
 */
export class Secrets {
  readonly #sources: readonly SecretSource[];
  #edition = Number.NaN;
  readonly #anchors = new Map<number, Anchor[]>();
  #ends: string[] = [];
  readonly #filter = new Uint8Array(FILTER_MASK + 1);

  constructor(sources: readonly SecretSource[]) {
    this.#sources = sources;
  }

  get isEmpty(): boolean {
    this.#refresh();
    return this.#anchors.size === 0;
  }

  get edition(): number {
    let edition = 0;
    for (const source of this.#sources) edition += source.edition;
    return edition;
  }

  /**
   * Replaces each secret by a text of the same length. Half of a secret is enough at the beginning
   * or end of the text, since pages and screens cut texts anywhere.
   */
  readonly redact = (text: string): string => {
    if (text.length < MIN_LENGTH || this.isEmpty) return text;
    if (this.#ends.length <= FEW && !this.#ends.some((end) => text.includes(end))) return text;
    const filter = this.#filter;
    const { length } = text;
    let clean = "";
    let copied = 0;
    let hash = hashOf(text);
    for (let end = MIN_LENGTH; end <= length; end++) {
      if (end > MIN_LENGTH) {
        const leaving = text.charCodeAt(end - MIN_LENGTH - 1);
        const change = text.charCodeAt(end - 1) - Math.imul(leaving, LEAVING);
        hash = (Math.imul(hash, BASE) + change) | 0;
      }
      if (filter[hash & FILTER_MASK] === 0) continue;
      const found = this.#spanAt(text, end, hash);
      if (found === undefined || found.to <= copied) continue;
      // An overlapping match continues the previous one.
      const isNew = found.from >= copied;
      clean += isNew ? text.slice(copied, found.from) + REMOVED : "";
      clean = clean.padEnd(found.to, "*");
      copied = found.to;
    }
    return copied === 0 ? text : clean + text.slice(copied);
  };

  /** Whether a text contains a redacted secret. Writing it would overwrite the secret. */
  isRedacted(text: string): boolean {
    return !this.isEmpty && text.includes(`${REMOVED}*`);
  }

  /** The longest secret, or part of one, whose first or last characters end here. */
  #spanAt(text: string, end: number, hash: number): { from: number; to: number } | undefined {
    // Truncated texts begin or end with dots.
    const first = text.startsWith(CUT) ? CUT.length : 0;
    const last = text.length - (text.endsWith(CUT) ? CUT.length : 0);
    let longest: { from: number; to: number } | undefined;
    for (const { secret, isEnd } of this.#anchors.get(hash) ?? []) {
      const from = isEnd ? Math.max(first, end - secret.length) : end - MIN_LENGTH;
      const to = isEnd ? end : Math.min(last, from + secret.length);
      const length = to - from;
      const part = isEnd ? secret.slice(-length) : secret.slice(0, length);
      const isLonger = longest === undefined || length > longest.to - longest.from;
      if (isLonger && length * 2 >= secret.length && text.startsWith(part, from)) {
        longest = { from, to };
      }
    }
    return longest;
  }

  #refresh(): void {
    const { edition } = this;
    if (edition === this.#edition) return;
    this.#edition = edition;
    this.#anchors.clear();
    this.#ends = [];
    this.#filter.fill(0);
    const secrets = this.#sources.flatMap(({ tokens }) => tokens).flatMap(written);
    for (const secret of new Set(secrets)) {
      if (secret.length < MIN_LENGTH) continue;
      this.#add({ secret, isEnd: false }, secret.slice(0, MIN_LENGTH));
      this.#add({ secret, isEnd: true }, secret.slice(-MIN_LENGTH));
    }
  }

  #add(anchor: Anchor, characters: string): void {
    this.#ends.push(characters);
    const hash = hashOf(characters);
    const others = this.#anchors.get(hash);
    if (others === undefined) this.#anchors.set(hash, [anchor]);
    else others.push(anchor);
    this.#filter[hash & FILTER_MASK] = 1;
  }
}

const BASE = 0x01000193;
const LEAVING = Array.from({ length: MIN_LENGTH }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
);

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < MIN_LENGTH; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

/** A secret in the forms that it has inside quotes: in settings of the game, and in JSON. */
function written(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)];
}

/** The secrets of paired computers. The bridge stores only hashes, so a secret is known after it was sent. */
export class SeenSecrets implements SecretSource {
  edition = 0;
  readonly #secrets = new Map<string, string>();

  get tokens(): readonly string[] {
    return [...this.#secrets.values()];
  }

  /** Sets the secret of a computer, by its key; undefined removes it. */
  readonly note = (key: string, secret: string | undefined): void => {
    if (this.#secrets.get(key) === secret) return;
    this.edition += 1;
    if (secret === undefined) this.#secrets.delete(key);
    else this.#secrets.set(key, secret);
  };
}

/** The secrets that no answer, log or audit line may contain; `seen` adds those that providers send. */
export function openSecrets(
  { linkTokens, minecraftTokens, pagesTokens, cluster }: Config,
  clients: SecretSource,
): { secrets: Secrets; seen: SeenSecrets } {
  const seen = new SeenSecrets();
  const logins = cluster
    .map((server) => new URL(server))
    .map((url) => url.password || url.username);
  const tokens = [...linkTokens, ...minecraftTokens, ...pagesTokens, ...logins.filter(Boolean)];
  return { secrets: new Secrets([clients, { edition: 0, tokens }, seen]), seen };
}
