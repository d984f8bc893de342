import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DIALECT_VERSION,
  decodeFrame,
  encodeError,
  encodeEvent,
  encodeFailure,
  encodeRequest,
  encodeResponse,
  eventTypes,
  ServerErrorCode,
  type Source,
} from "../../src/minecraft/index.js";

const text = fc.string({ unit: "binary" });
const source = fc.constantFrom<Source>("mcp", "minecraft");
const sender = { source: "minecraft", id: "a1" } as const;

describe("decoding", () => {
  it("never throws, and its reasons are short and on one line", () => {
    const likely = fc.record(
      {
        version: fc.oneof(fc.constant(DIALECT_VERSION), fc.jsonValue()),
        type: fc.constantFrom("event", "command", "query", "response", "error", "x"),
        id: fc.oneof(text, fc.jsonValue()),
        timestamp: fc.oneof(fc.integer(), fc.jsonValue()),
        source: fc.oneof(source, fc.jsonValue()),
        payload: fc.oneof(
          fc.jsonValue(),
          fc.dictionary(
            fc.constantFrom("eventType", "data", "command", "args", "success", "error", "code"),
            fc.oneof(fc.jsonValue(), fc.constantFrom(...eventTypes)),
          ),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.json(),
          likely.map((value) => JSON.stringify(value)),
        ),
        source,
        (input, from) => {
          const decoded = decodeFrame(input, from);
          if (decoded.ok) return;
          expect(decoded.reason.length).toBeLessThanOrEqual(200);
          expect(decoded.reason).not.toMatch(/\p{Cc}/u);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("is not fooled by a __proto__ key", () => {
    const frame = `{"version":"1.0.0","type":"query","id":"a","timestamp":1,"source":"mcp","__proto__":{"payload":{"query":"x"}}}`;
    expect(decodeFrame(frame, "mcp")).toMatchObject({ ok: false });
  });
});

describe("encoding", () => {
  it("round-trips requests, answers, errors and events with any text", () => {
    fc.assert(
      fc.property(text, (value) => {
        const mcp = { ...sender, source: "mcp" as const };
        expect(
          decodeFrame(encodeRequest(mcp, { query: "q", args: { value } }), "mcp"),
        ).toMatchObject({ ok: true, frame: { payload: { query: "q", args: { value } } } });
        expect(
          decodeFrame(encodeRequest(mcp, { command: "c", args: { value } }), "mcp"),
        ).toMatchObject({ ok: true, frame: { payload: { command: "c", args: { value } } } });
        expect(decodeFrame(encodeResponse(sender, { value }), "minecraft")).toMatchObject({
          frame: { type: "response", id: "a1", outcome: { ok: true, data: { value } } },
        });
        const error = { code: ServerErrorCode.timeout, message: value, details: { value } };
        for (const encode of [encodeFailure, encodeError]) {
          expect(decodeFrame(encode(sender, error), "minecraft")).toMatchObject({
            frame: { outcome: { ok: false, ...error } },
          });
        }
        const event = {
          eventType: "player_chat" as const,
          timestamp: 5,
          data: { player: "Steve", message: value },
          seq: 3,
        };
        expect(decodeFrame(encodeEvent(sender, event), "minecraft")).toMatchObject({
          frame: { type: "event", payload: event },
        });
      }),
    );
  });
});
