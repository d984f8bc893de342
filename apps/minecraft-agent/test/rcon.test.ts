import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { RconClient, type RconClientOptions } from "../src/rcon/client.js";
import { encodePacket, PacketReader } from "../src/rcon/packet.js";
import { FakeRcon } from "./fake-server/rcon.js";
import { silent } from "./silent.js";

async function startRcon(
  answer: (command: string) => string,
  options: Partial<RconClientOptions> = {},
): Promise<{ rcon: FakeRcon; client: RconClient }> {
  const rcon = new FakeRcon(answer);
  await rcon.listen();
  const client = new RconClient({
    host: "127.0.0.1",
    port: rcon.port,
    password: rcon.password,
    log: silent,
    timeoutMs: 60_000,
    retry: { firstMs: 5, maxMs: 20, wrongPasswordMs: 20 },
    ...options,
  });
  onTestFinished(async () => {
    client.stop();
    await rcon.close();
  });
  await client.start();
  return { rcon, client };
}

describe("packets", () => {
  it("are found in a stream that comes in any pieces", () => {
    const body = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer(), body), { maxLength: 8 }),
        fc.array(fc.nat(40), { maxLength: 60 }),
        (bodies, cuts) => {
          const stream = Buffer.concat(bodies.map(([id, text]) => encodePacket(id, 2, text)));
          const reader = new PacketReader();
          const packets = [];
          let at = 0;
          for (const size of [...cuts, stream.length]) {
            packets.push(...reader.push(stream.subarray(at, at + size)));
            at += size;
          }
          expect(packets.map(({ id, body }) => [id, body.toString()])).toEqual(
            bodies.map(([id, text]) => [id, Buffer.from(text).toString()]),
          );
        },
      ),
    );
  });

  it("cannot have any length", () => {
    const bytes = (length: number) => {
      const buffer = Buffer.alloc(16);
      buffer.writeInt32LE(length);
      return buffer;
    };
    for (const length of [-1, 0, 9, 1_000_000]) {
      expect(() => new PacketReader().push(bytes(length))).toThrow(/cannot be/);
    }
    expect(() => encodePacket(1, 2, "x".repeat(1_447))).toThrow(RangeError);
  });
});

describe("the client", () => {
  it("joins answers of several packets, whatever their length and pieces", async () => {
    const { rcon, client } = await startRcon((command) => "é".repeat(Number(command)));
    rcon.pieceBytes = 1_000;
    for (const length of [0, 1, 4_095, 4_096, 4_097, 8_191, 8_192, 20_000]) {
      expect(await client.run(String(length))).toBe("é".repeat(length));
    }
    expect(rcon.violations).toBe(0);
  });

  it("sends one packet at a time, however many commands there are", async () => {
    const { rcon, client } = await startRcon((command) => `${command}!`.repeat(1_000));
    const commands = Array.from({ length: 40 }, (_, index) => `say ${index}`);
    const answers = await Promise.all(commands.map((command) => client.run(command)));
    expect(answers).toEqual(commands.map((command) => `${command}!`.repeat(1_000)));
    expect(rcon.violations).toBe(0);
    expect(rcon.logins).toBe(1);
  });

  it("refuses what does not fit, and more than it can keep waiting", async () => {
    const { client } = await startRcon(() => "");
    await expect(client.run("x".repeat(1_447))).rejects.toMatchObject({ code: "INVALID_COMMAND" });
    const many = Array.from({ length: 200 }, () => client.run("x").catch((error) => error.code));
    expect(await Promise.all(many)).toContain("SERVER_ERROR");
  });

  it("gives up a command that is not answered, and connects again", async () => {
    const { rcon, client } = await startRcon((command) => command);
    let release = () => {};
    rcon.stall = new Promise((resolve) => {
      release = resolve;
    });
    await expect(client.run("slow", { timeoutMs: 60 })).rejects.toMatchObject({ code: "TIMEOUT" });
    rcon.stall = undefined;
    release();
    await expect.poll(() => client.run("next").catch(() => "")).toBe("next");
  });

  it("connects again after every loss", async () => {
    const { rcon, client } = await startRcon((command) => command);
    for (let round = 1; round <= 3; round++) {
      rcon.dropAll();
      await expect.poll(() => client.run(`${round}`).catch(() => "")).toBe(`${round}`);
    }
  });

  it("reports a wrong password, and does not retry at once", async () => {
    const { rcon, client } = await startRcon(() => "", {
      password: "wrong",
      retry: { firstMs: 1, maxMs: 1, wrongPasswordMs: 60_000 },
    });
    await expect(client.run("x")).rejects.toMatchObject({
      code: "CONNECTION_ERROR",
      message: expect.stringContaining("password is wrong"),
    });
    expect(rcon.logins).toBe(0);
  });
});
