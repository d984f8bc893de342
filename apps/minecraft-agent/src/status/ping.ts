import { connect } from "node:net";
import { z } from "zod";

const MAX_ANSWER_BYTES = 1_024 * 1_024;

const StatusSchema = z.object({
  version: z
    .object({ name: z.string().max(256) })
    .optional()
    .catch(undefined),
  players: z.object({ online: z.number(), max: z.number() }).optional().catch(undefined),
});

export interface ServerStatus {
  version: string | undefined;
  online: number | undefined;
  max: number | undefined;
}

export function pingServer(options: {
  host: string;
  port: number;
  timeoutMs: number;
}): Promise<ServerStatus> {
  const { host, port, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    let received = Buffer.alloc(0);
    const end = (finish: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      finish();
    };
    const fail = (reason: string) => end(() => reject(new Error(reason)));
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.on("connect", () => {
      // Protocol -1 requests the status for any version; 1 is the state "status".
      socket.write(packet(0, [varInt(-1), text(host), port16(port), varInt(1)]));
      socket.write(packet(0, []));
    });
    socket.on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (received.length > MAX_ANSWER_BYTES) return fail("the answer is too long");
      try {
        const status = readStatus(received);
        if (status !== undefined) end(() => resolve(status));
      } catch {
        fail("the answer is not one of a Minecraft server");
      }
    });
    socket.on("error", (error) => fail(error.message));
    socket.on("close", () => fail("the server closed the connection"));
  });
}

function readStatus(bytes: Buffer): ServerStatus | undefined {
  const length = readVarInt(bytes, 0);
  if (length === undefined || bytes.length < length.end + length.value) return undefined;
  const id = readVarInt(bytes, length.end);
  const size = id === undefined ? undefined : readVarInt(bytes, id.end);
  if (id?.value !== 0 || size === undefined) throw new Error("not a status");
  const json = bytes.subarray(size.end, size.end + size.value).toString();
  const { version, players } = StatusSchema.parse(JSON.parse(json));
  return { version: version?.name, online: players?.online, max: players?.max };
}

function readVarInt(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value |= (byte & 0x7f) << (7 * index);
    if ((byte & 0x80) === 0) return { value, end: start + index + 1 };
  }
  throw new Error("not a number");
}

function packet(id: number, fields: Buffer[]): Buffer {
  const body = Buffer.concat([varInt(id), ...fields]);
  return Buffer.concat([varInt(body.length), body]);
}

function varInt(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varInt(bytes.length), bytes]);
}

function port16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
