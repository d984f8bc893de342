import { encodeFrame, isPair, utf8Length } from "./codec.js";
import type { Chunk } from "./frames.js";

const ENVELOPE_BYTES = 96;

/**
 * Cuts the text of a frame into messages of at most `maxFrame` bytes. A text that fits is returned as
 * it is, without a chunk envelope.
 */
export function splitFrame(text: string, maxFrame: number, transfer: string): string[] {
  // Each UTF-16 unit takes at most 3 bytes, so most frames need no count.
  if (text.length * 3 <= maxFrame || utf8Length(text) <= maxFrame) return [text];
  const room = maxFrame - ENVELOPE_BYTES - utf8Length(JSON.stringify(transfer));
  if (room < 8) throw new RangeError(`maxFrame ${maxFrame} leaves no room for data`);
  const slices: string[] = [];
  let start = 0;
  let used = 0;
  for (let i = 0; i < text.length; i++) {
    const units = isPair(text, i) ? 2 : 1;
    const cost = units === 2 ? 4 : encodedCost(text.charCodeAt(i));
    if (used + cost > room) {
      slices.push(text.slice(start, i));
      start = i;
      used = 0;
    }
    used += cost;
    i += units - 1;
  }
  slices.push(text.slice(start));
  return slices.map((data, index) =>
    encodeFrame({ type: "chunk", transfer, index, count: slices.length, data }),
  );
}

/** Bytes that one UTF-16 unit takes inside a JSON string as {@link encodeFrame} writes it. */
function encodedCost(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  return unit >= 0x20 && unit < 0x80 ? 1 : 6;
}

export interface TransferBudget {
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface ChunkJoinerOptions {
  /** The largest joined frame, and all that may wait unfinished on one link, in UTF-16 units. */
  maxBytes: number;
  /** Transfers that may be open at once. @default 8 */
  maxTransfers?: number;
  budget?: TransferBudget;
}

/** The text of a finished transfer, `undefined` while it is unfinished, or why it was dropped. */
export type Joined = { ok: true; text: string | undefined } | { ok: false; reason: string };

interface Transfer {
  parts: string[];
  count: number;
  size: number;
  bytes: number;
}

/** What a part costs beside its text: small ones cost several times what they hold. */
const PART_BYTES = 64;

/** What the text of a part may hold in memory: two bytes for each UTF-16 unit. */
function heldBytes(data: string): number {
  return data.length * 2 + PART_BYTES;
}

/**
 * Puts chunked frames together again. Chunks of one transfer come in order (a WebSocket keeps it);
 * transfers may be interleaved. Whatever arrives, it keeps no more than its bounds.
 */
export class ChunkJoiner {
  readonly #transfers = new Map<string, Transfer>();
  readonly #maxBytes: number;
  readonly #maxTransfers: number;
  readonly #budget: TransferBudget | undefined;
  #held = 0;

  constructor(options: ChunkJoinerOptions) {
    this.#maxBytes = options.maxBytes;
    this.#maxTransfers = options.maxTransfers ?? 8;
    this.#budget = options.budget;
  }

  push(chunk: Chunk): Joined {
    const { transfer: id, index, count, data } = chunk;
    let transfer = this.#transfers.get(id);
    if (transfer === undefined) {
      if (index !== 0) return refused(`chunk ${index} of a transfer that was not begun`);
      if (this.#transfers.size >= this.#maxTransfers) return refused("too many open transfers");
      transfer = { parts: [], count, size: 0, bytes: 0 };
      this.#transfers.set(id, transfer);
    } else if (index !== transfer.parts.length || count !== transfer.count) {
      this.#drop(id, transfer);
      return refused(`chunk ${index} of ${count} is out of order`);
    }
    if (this.#held + data.length > this.#maxBytes) {
      this.#drop(id, transfer);
      return refused(`a transfer above ${this.#maxBytes} bytes`);
    }
    const bytes = heldBytes(data);
    if (this.#budget?.take(bytes) === false) {
      this.#drop(id, transfer);
      return refused("no memory left for transfers on this bridge");
    }
    this.#held += data.length;
    transfer.size += data.length;
    transfer.bytes += bytes;
    transfer.parts.push(data);
    if (transfer.parts.length < count) return { ok: true, text: undefined };
    const text = transfer.parts.join("");
    this.#drop(id, transfer);
    return { ok: true, text };
  }

  clear(): void {
    for (const [id, transfer] of this.#transfers) this.#drop(id, transfer);
  }

  #drop(id: string, transfer: Transfer): void {
    this.#transfers.delete(id);
    this.#held -= transfer.size;
    this.#budget?.give(transfer.bytes);
  }
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
