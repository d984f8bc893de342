import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeAgentFrame,
  decodeBridgeFrame,
  encodeFrame,
  ResponseSchema,
  utf8Length,
} from "../../src/index.js";

const text = fc.string({ unit: "binary" });

describe("decoding", () => {
  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.json()), (input) => {
        decodeAgentFrame(input);
        decodeBridgeFrame(input);
      }),
    );
  });

  it("never throws on JSON that looks like a frame", () => {
    const types = fc.constantFrom("hello", "response", "output", "event", "tools", "chunk", "x");
    const fields = fc.dictionary(
      fc.constantFrom("computerId", "id", "ok", "error", "seq", "text", "args", "tools", "data"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(types, fields, (type, rest) => {
        const decoded = decodeAgentFrame(JSON.stringify({ ...rest, type }));
        if (!decoded.ok) expect(decoded.reason.length).toBeLessThanOrEqual(200);
      }),
    );
  });

  it("reads a good answer as its schema does", () => {
    const id = fc.oneof(fc.string({ maxLength: 200 }), fc.integer(), fc.constant(undefined));
    const frame = fc.record(
      {
        type: fc.constant("response"),
        id,
        ok: fc.oneof(fc.constant(true), fc.boolean(), fc.jsonValue()),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
        extra: fc.jsonValue(),
      },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(frame, (value) => {
        const text = JSON.stringify(value);
        const decoded = decodeAgentFrame(text);
        const parsed = ResponseSchema.safeParse(JSON.parse(text));
        expect(decoded.ok).toBe(parsed.success);
        if (decoded.ok) expect(decoded.frame).toEqual(parsed.data);
      }),
      { numRuns: 1_000 },
    );
  });

  it("bounds and quotes hostile text in its reasons", () => {
    const decoded = decodeAgentFrame(
      JSON.stringify({ type: `evil\n\u001b[2J${"x".repeat(9_999)}` }),
    );
    expect(decoded).toMatchObject({ ok: false, problem: "unknown-type" });
    if (!decoded.ok) {
      expect(decoded.reason.length).toBeLessThan(120);
      expect(decoded.reason).not.toContain("\u001b");
    }
  });

  it("is not fooled by a __proto__ key", () => {
    const decoded = decodeAgentFrame('{"type":"hello","computerId":1,"__proto__":{"token":"x"}}');
    expect(decoded.ok && "token" in decoded.frame).toBe(false);
  });
});

describe("encoding", () => {
  it("round-trips every text", () => {
    fc.assert(
      fc.property(text, (code) => {
        const frame = {
          type: "request" as const,
          id: "r",
          method: "exec-lua",
          params: { code },
        };
        expect(decodeBridgeFrame(encodeFrame(frame))).toEqual({ ok: true, frame });
      }),
    );
  });

  it("writes ASCII, with only surrogate pairs raw", () => {
    fc.assert(
      fc.property(text, (reason) => {
        const encoded = encodeFrame({ type: "cancel", id: "r", reason });
        const withoutPairs = encoded.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "");
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
        expect(withoutPairs).toMatch(/^[\x00-\x7f]*$/);
      }),
    );
  });

  it("writes ASCII only to agents that join escaped pairs", () => {
    fc.assert(
      fc.property(text, (reason) => {
        const frame = { type: "cancel" as const, id: "r", reason };
        const encoded = encodeFrame(frame, { escapePairs: true });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
        expect(encoded).toMatch(/^[\x00-\x7f]*$/);
        expect(decodeBridgeFrame(encoded)).toEqual({ ok: true, frame });
      }),
    );
  });

  it("counts UTF-8 bytes as the wire does", () => {
    fc.assert(
      fc.property(text, (input) => {
        expect(utf8Length(input)).toBe(new TextEncoder().encode(input).length);
      }),
    );
  });
});
