export const PacketType = {
  login: 3,
  command: 2,
  answer: 0,
  /** An undefined type: the server's error response to it marks the end of an answer. */
  marker: 100,
} as const;

export interface Packet {
  id: number;
  type: number;
  body: Buffer;
}

/** The server reads a request at once into 1460 bytes; 14 of them are not the body. */
export const MAX_BODY_BYTES = 1_446;

/** At most 4096 characters of at most three bytes each. */
const MAX_PACKET_BYTES = 4_096 * 3 + 64;

export function encodePacket(id: number, type: number, text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length > MAX_BODY_BYTES) {
    throw new RangeError(`a packet of ${body.length} bytes is more than the server reads`);
  }
  const packet = Buffer.alloc(body.length + 14);
  packet.writeInt32LE(body.length + 10, 0);
  packet.writeInt32LE(id, 4);
  packet.writeInt32LE(type, 8);
  body.copy(packet, 12);
  return packet;
}

export class PacketReader {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): Packet[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const packets: Packet[] = [];
    while (this.#rest.length >= 4) {
      const length = this.#rest.readInt32LE(0);
      if (length < 10 || length > MAX_PACKET_BYTES) {
        throw new Error(`a packet cannot be ${length} bytes long`);
      }
      if (this.#rest.length < length + 4) break;
      packets.push({
        id: this.#rest.readInt32LE(4),
        type: this.#rest.readInt32LE(8),
        // Copied, so that a small packet does not retain a large buffer.
        body: Buffer.from(this.#rest.subarray(12, length + 2)),
      });
      this.#rest = this.#rest.subarray(length + 4);
    }
    return packets;
  }
}
