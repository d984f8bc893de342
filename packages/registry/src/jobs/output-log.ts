import { copyString } from "@ccbridge/protocol";

export interface OutputPage {
  text: string;
  next: number;
  /** Characters between the cursor and the text that are no longer kept. */
  missed: number;
}

/** Small pieces are put together, so that a job that prints one word at a time costs no more. */
const PIECE_LENGTH = 8_192;

/**
 * The newest output of a job, up to a bound. Positions count from the job's first character, so a cursor
 * stays right whatever is dropped.
 */
export class OutputLog {
  readonly #maxLength: number;
  #pieces: string[] = [];
  #start = 0;
  #end = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The position behind the last character, and so the length of all output ever. */
  get end(): number {
    return this.#end;
  }

  /** Characters at the beginning that are no longer kept. */
  get dropped(): number {
    return this.#start;
  }

  /** What is kept, in bytes as JavaScript stores it: at most two for a character. */
  get bytes(): number {
    return 2 * (this.#end - this.#start);
  }

  halve(): void {
    this.#trim((this.#end - this.#start) >> 1);
  }

  restore(start: number, text: string): void {
    this.#start = start;
    this.#end = start;
    this.push(text);
  }

  push(text: string): void {
    if (text === "") return;
    const last = this.#pieces.length - 1;
    const tail = this.#pieces[last];
    if (tail !== undefined && tail.length + text.length <= PIECE_LENGTH)
      this.#pieces[last] = tail + text;
    else if (text.length <= PIECE_LENGTH) this.#pieces.push(text);
    else this.#pushLong(text);
    this.#end += text.length;
    this.#trim(this.#maxLength);
  }

  /** In copies of its parts, so that what is dropped of it is freed. */
  #pushLong(text: string): void {
    for (let from = 0; from < text.length; from += PIECE_LENGTH)
      this.#pieces.push(copyString(text.slice(from, from + PIECE_LENGTH)));
  }

  /** Reads at most `maxLength` characters from a cursor on. */
  read(cursor: number, maxLength: number): OutputPage {
    const from = Math.max(Math.min(cursor, this.#end), this.#start);
    const to = Math.min(this.#end, from + maxLength);
    let text = "";
    let position = this.#start;
    for (const piece of this.#pieces) {
      const behind = position + piece.length;
      if (behind > from) text += piece.slice(Math.max(0, from - position), to - position);
      if (behind >= to) break;
      position = behind;
    }
    // A page must not end inside a surrogate pair, unless it contains nothing else.
    if (to < this.#end && text.length > 1 && isHighSurrogate(text)) text = text.slice(0, -1);
    return { text, next: from + text.length, missed: from - Math.min(cursor, from) };
  }

  toString(): string {
    return this.#pieces.join("");
  }

  #trim(maxLength: number): void {
    let excess = this.#end - this.#start - maxLength;
    if (excess <= 0) return;
    this.#start += excess;
    let whole = 0;
    for (const piece of this.#pieces) {
      if (piece.length > excess) break;
      excess -= piece.length;
      whole += 1;
    }
    this.#pieces.splice(0, whole);
    if (excess > 0) this.#pieces[0] = this.#pieces[0]?.slice(excess) ?? "";
  }
}

function isHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
