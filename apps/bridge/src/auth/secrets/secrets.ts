/** Shorter ones would be found in any text. */
const MIN_LENGTH = 8;
const REMOVED = "[secret]";
const CUT = "...";
const FILTER_MASK = 0x3ffff;
/** So few places are found faster one after the other: nearly all texts have none of them. */
const FEW = 32;

/** Where secrets come from. The edition changes whenever they do. */
export interface SecretSource {
  readonly edition: number;
  readonly tokens: readonly string[];
}

/** Where a text has something in common with a secret: its first or its last characters. */
interface Anchor {
  readonly secret: string;
  readonly isEnd: boolean;
}

/**
 * The secrets of this bridge, for taking them out of texts. A text is read once, however many there are: a
 * rolling hash of eight characters finds the places where one may begin or end.
 */
export class Secrets {
  readonly #sources: readonly SecretSource[];
  #edition = Number.NaN;
  readonly #anchors = new Map<number, Anchor[]>();
  /** The first and the last characters of each secret. */
  #ends: string[] = [];
  /** Whether a hash with these low bits is among the anchors: nearly all are not. */
  readonly #filter = new Uint8Array(FILTER_MASK + 1);

  constructor(sources: readonly SecretSource[]) {
    this.#sources = sources;
  }

  /** Whether there is anything to take out. */
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
   * The text with each secret replaced by as many other characters. Half of one counts where the text begins
   * or ends, since pages and screens cut texts anywhere.
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
      // One that overlaps the last is its continuation.
      const isNew = found.from >= copied;
      clean += isNew ? text.slice(copied, found.from) + REMOVED : "";
      clean = clean.padEnd(found.to, "*");
      copied = found.to;
    }
    return copied === 0 ? text : clean + text.slice(copied);
  };

  /** Whether a text has a secret replaced in it: written somewhere, it would take the place of the secret. */
  isRedacted(text: string): boolean {
    return !this.isEmpty && text.includes(`${REMOVED}*`);
  }

  /** The longest secret, or part of one, whose first or last characters end here. */
  #spanAt(text: string, end: number, hash: number): { from: number; to: number } | undefined {
    // Texts that were shortened say so.
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
/** What the character that leaves the window has grown to. */
const LEAVING = Array.from({ length: MIN_LENGTH }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
);

/** The hash of the first eight characters. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < MIN_LENGTH; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

/** A secret, and how it is written between quotes: in settings of the game, and in JSON. */
function written(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)];
}
