import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import {
  type Chunk,
  ChunkJoiner,
  decodeAgentFrame,
  MIN_FRAME_BYTES,
  splitFrame,
  utf8Length,
} from "../../src/index.js";

const longText = fc
  .array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 30 })
  .map((parts) => parts.join("").repeat(20));

function chunks(messages: string[]): Chunk[] {
  return messages.map((message) => {
    const decoded = decodeAgentFrame(message);
    if (!decoded.ok || decoded.frame.type !== "chunk") throw new Error(`not a chunk: ${message}`);
    return decoded.frame;
  });
}

describe("splitting and joining", () => {
  it("round-trips every text, in messages that fit", () => {
    fc.assert(
      fc.property(longText, fc.integer({ min: MIN_FRAME_BYTES, max: 4_096 }), (text, maxFrame) => {
        const messages = splitFrame(text, maxFrame, "t1");
        for (const message of messages) expect(utf8Length(message)).toBeLessThanOrEqual(maxFrame);
        if (messages.length === 1) {
          expect(messages[0]).toBe(text);
          return;
        }
        const joiner = new ChunkJoiner({ maxBytes: 1e9 });
        const results = chunks(messages).map((chunk) => joiner.push(chunk));
        expect(results.at(-1)).toEqual({ ok: true, text });
        expect(results.slice(0, -1).every((r) => r.ok && r.text === undefined)).toBe(true);
      }),
    );
  });

  it("round-trips transfers that are interleaved in any way", () => {
    fc.assert(
      fc.property(
        fc.array(longText, { minLength: 2, maxLength: 5 }),
        fc.infiniteStream(fc.nat()),
        (texts, order) => {
          const joiner = new ChunkJoiner({ maxBytes: 1e9 });
          const queues = texts.map((text, i) => ({
            text,
            rest: chunks(splitFrame(`${text}${"x".repeat(2_000)}`, MIN_FRAME_BYTES, `t${i}`)),
          }));
          let open = queues;
          for (const pick of order) {
            const queue = open[pick % open.length];
            const chunk = queue?.rest.shift();
            if (!queue || !chunk) break;
            const joined = joiner.push(chunk);
            expect(joined.ok).toBe(true);
            if (queue.rest.length === 0) {
              expect(joined).toEqual({ ok: true, text: `${queue.text}${"x".repeat(2_000)}` });
              open = open.filter((other) => other !== queue);
            }
            if (open.length === 0) break;
          }
          expect(open).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("a joiner under attack", () => {
  const chunk = (
    transfer: string,
    index: number,
    count: number,
    data = "x".repeat(100),
  ): Chunk => ({
    type: "chunk",
    transfer,
    index,
    count,
    data,
  });

  it("refuses a chunk that does not begin its transfer", () => {
    expect(new ChunkJoiner({ maxBytes: 1_000 }).push(chunk("a", 1, 2))).toMatchObject({
      ok: false,
      reason: texts.chunkOfATransferThat,
    });
  });

  it("refuses repeated, skipped and recounted chunks and forgets the transfer", () => {
    for (const bad of [chunk("a", 0, 3), chunk("a", 2, 3), chunk("a", 1, 4)]) {
      const joiner = new ChunkJoiner({ maxBytes: 1_000 });
      joiner.push(chunk("a", 0, 3));
      expect(joiner.push(bad).ok).toBe(false);
      expect(joiner.push(chunk("a", 0, 1))).toMatchObject({ ok: true });
    }
  });

  it("keeps no more than its bound over all transfers", () => {
    const joiner = new ChunkJoiner({ maxBytes: 250 });
    expect(joiner.push(chunk("a", 0, 9)).ok).toBe(true);
    expect(joiner.push(chunk("b", 0, 9)).ok).toBe(true);
    expect(joiner.push(chunk("c", 0, 9))).toMatchObject({ ok: false });
    expect(joiner.push(chunk("a", 1, 9)).ok).toBe(false);
    expect(joiner.push(chunk("d", 0, 9)).ok).toBe(true);
  });

  it("keeps no more transfers than its bound, even empty ones", () => {
    const joiner = new ChunkJoiner({ maxBytes: 1_000, maxTransfers: 2 });
    joiner.push(chunk("a", 0, 2, ""));
    joiner.push(chunk("b", 0, 2, ""));
    expect(joiner.push(chunk("c", 0, 2, ""))).toEqual({
      ok: false,
      reason: "too many open transfers",
    });
  });

  it("always releases a shared budget", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            transfer: fc.constantFrom("a", "b", "c"),
            index: fc.nat(3),
            count: fc.integer({ min: 1, max: 3 }),
            size: fc.nat(120),
          }),
        ),
        (steps) => {
          let free = 300;
          const budget = {
            take(bytes: number) {
              if (bytes > free) return false;
              free -= bytes;
              return true;
            },
            give(bytes: number) {
              free += bytes;
            },
          };
          const joiner = new ChunkJoiner({ maxBytes: 250, maxTransfers: 2, budget });
          for (const { transfer, index, count, size } of steps) {
            joiner.push(chunk(transfer, index, count, "x".repeat(size)));
          }
          joiner.clear();
          expect(free).toBe(300);
        },
      ),
    );
  });

  it("takes as much of the shared memory as a transfer may hold, and gives all of it back", () => {
    const taken: number[] = [];
    const given: number[] = [];
    const budget = {
      take: (bytes: number) => taken.push(bytes) > 0,
      give: (bytes: number) => void given.push(bytes),
    };
    const joiner = new ChunkJoiner({ maxBytes: 1_000, budget: budget as never });
    joiner.push(chunk("t", 0, 3, "\u20ac".repeat(100)));
    joiner.push(chunk("t", 1, 3, "x"));
    expect(taken[0]).toBeGreaterThanOrEqual(200);
    expect(taken[1]).toBeGreaterThan(32);
    joiner.clear();
    expect(given).toEqual([taken.reduce((sum, bytes) => sum + bytes)]);
  });
});
