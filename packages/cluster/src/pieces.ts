import { Budget, createId } from "@ccbridge/registry";
import { headers, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";

/** NATS takes 1 MiB by default; half leaves room for headers and for servers with a lower limit. */
const PIECE_BYTES = 512 * 1_024;
/** The longest message that is put together again, and what all unfinished ones may take. */
const MAX_BYTES = 64 * 1_024 * 1_024;
const MAX_OPEN_BYTES = 256 * 1_024 * 1_024;
/** An unfinished message is dropped after that long: one of its pieces was lost. */
const UNFINISHED_MS = 30_000;
const HEADER = "Ccbridge-Piece";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encode(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/** Publishes a message, in pieces if it is long. */
export function publish(
  nats: NatsConnection,
  subject: string,
  bytes: Uint8Array,
  reply?: string,
): void {
  const to = reply === undefined ? {} : { reply };
  if (bytes.length <= PIECE_BYTES) return nats.publish(subject, bytes, to);
  const id = createId();
  const total = Math.ceil(bytes.length / PIECE_BYTES);
  for (let index = 0; index < total; index++) {
    const part = bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES);
    nats.publish(subject, part, { ...to, headers: pieceHeader(id, index, total) });
  }
}

function pieceHeader(id: string, index: number, total: number): MsgHdrs {
  const made = headers();
  made.set(HEADER, `${id} ${index} ${total}`);
  return made;
}

interface Unfinished {
  readonly parts: (Uint8Array | undefined)[];
  missing: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Puts messages together again, in whatever order their pieces come. */
export class PieceJoiner {
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #bytes = new Budget<string>({ total: MAX_OPEN_BYTES });

  /** Returns a message that is complete now. Throws when it is not JSON. */
  take(message: Msg): unknown {
    const header = message.headers?.get(HEADER);
    if (header === undefined || header === "") return JSON.parse(decoder.decode(message.data));
    const bytes = this.#join(header, message.data);
    return bytes && JSON.parse(decoder.decode(bytes));
  }

  clear(): void {
    for (const id of [...this.#unfinished.keys()]) this.#drop(id);
  }

  #join(header: string, data: Uint8Array): Uint8Array | undefined {
    const [id = "", at = "", of = ""] = header.split(" ");
    const [index, total] = [Number(at), Number(of)];
    if (!(total >= 1 && total * PIECE_BYTES <= MAX_BYTES && index >= 0 && index < total)) return;
    let open = this.#unfinished.get(id);
    if (open === undefined) {
      const timer = setTimeout(() => this.#drop(id), UNFINISHED_MS);
      timer.unref?.();
      open = { parts: new Array(total).fill(undefined), missing: total, timer };
      this.#unfinished.set(id, open);
    }
    if (open.parts.length !== total || open.parts[index] !== undefined) return undefined;
    if (!this.#bytes.take(id, data.length)) return this.#drop(id);
    open.parts[index] = data;
    open.missing -= 1;
    if (open.missing > 0) return undefined;
    this.#drop(id);
    return Buffer.concat(open.parts as Uint8Array[]);
  }

  #drop(id: string): undefined {
    clearTimeout(this.#unfinished.get(id)?.timer);
    this.#unfinished.delete(id);
    this.#bytes.release(id);
  }
}
