import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExecLuaResultSchema, RunProgramResultSchema, readPlainResult } from "../src/index.js";

const scalar = fc.oneof(fc.boolean(), fc.double({ noNaN: true }), fc.string(), fc.constant(null));
const value = fc.oneof(
  { weight: 4, arbitrary: fc.boolean().map((value) => ({ type: "boolean", value })) },
  { weight: 4, arbitrary: fc.integer().map((value) => ({ type: "number", value })) },
  { weight: 4, arbitrary: fc.string().map((value) => ({ type: "string", value })) },
  { weight: 4, arbitrary: fc.constant({ type: "nil" }) },
  fc.record(
    {
      type: fc.constantFrom("nil", "boolean", "number", "string", "table", "thread", "other"),
      value: fc.oneof(scalar, fc.jsonValue({ maxDepth: 2 })),
      encoding: fc.constantFrom("base64", "none"),
      truncated: fc.boolean(),
      extra: scalar,
    },
    { requiredKeys: [] },
  ),
  scalar,
);
const result = fc.oneof(
  fc.record({ returns: fc.array(value, { maxLength: 2 }), output: fc.string() }),
  fc.record(
    {
      returns: fc.oneof(
        { weight: 5, arbitrary: fc.array(value, { maxLength: 4 }) },
        fc.constant({}),
        scalar,
      ),
      output: fc.oneof({ weight: 5, arbitrary: fc.string() }, scalar),
      encoding: fc.constantFrom("base64", "none"),
      truncated: fc.oneof(fc.boolean(), scalar),
      lost: fc.integer({ min: -1, max: 3 }),
      screen: scalar,
      extra: scalar,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

describe("a plain result", () => {
  it("is read as the schema reads it, or left to the schema", () => {
    let plain = 0;
    fc.assert(
      fc.property(result, (given) => {
        const read = readPlainResult(given);
        if (read === undefined) return;
        plain += 1;
        expect(ExecLuaResultSchema.parse(given)).toEqual(read);
        expect(RunProgramResultSchema.parse(given)).toEqual(read);
      }),
      { numRuns: 2_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it("is what agents send for a number, for nothing, and for text", () => {
    expect(readPlainResult({ returns: [{ type: "number", value: 980 }], output: "" })).toEqual({
      returns: [{ type: "number", value: 980 }],
      output: "",
    });
    expect(readPlainResult({ returns: {}, output: "hi\n" })).toEqual({
      returns: [],
      output: "hi\n",
    });
    expect(readPlainResult({ returns: [{ type: "table", value: {} }] })).toBeUndefined();
  });
});
