import { toBase64 } from "./bytes.js";

/** At most 16 colours, as `rrggbb`; one pixel per byte. */
export interface IndexedImage {
  width: number;
  height: number;
  palette: readonly string[];
  pixels: Uint8Array;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const BIT_DEPTH = 4;
const INDEXED = 3;

export async function pngImage(image: IndexedImage): Promise<{ data: string; mimeType: string }> {
  return { data: toBase64(await encodePng(image)), mimeType: "image/png" };
}

async function encodePng({ width, height, palette, pixels }: IndexedImage): Promise<Uint8Array> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([BIT_DEPTH, INDEXED], 8);
  const colours = palette.flatMap((colour) =>
    [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)),
  );
  return join([
    Uint8Array.from(signature),
    chunk("IHDR", header),
    chunk("PLTE", Uint8Array.from(colours)),
    chunk("IDAT", await deflate(packRows(width, height, pixels))),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/** Two pixels per byte; each row begins with filter type 0 (none). */
function packRows(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const rowBytes = 1 + Math.ceil(width / 2);
  const rows = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * rowBytes + 1 + (x >> 1);
      const colour = pixels[y * width + x] ?? 0;
      rows[at] = (rows[at] ?? 0) | (x % 2 === 0 ? colour << 4 : colour);
    }
  }
  return rows;
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([Uint8Array.from(bytes)])
    .stream()
    .pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let index = 0; index < 4; index++) bytes[4 + index] = type.charCodeAt(index);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (crcTable[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

function join(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
