import fc from "fast-check";
import { expect, it } from "vitest";
import { keepResult } from "../../../src/kinds/computer/kept-result.js";

it("keeps small values unchanged, with the other facts about the output", () => {
  const returns = [{ type: "table", value: { a: [1, "two"] } }];
  expect(keepResult({ returns, output: "hi", lost: 5 })).toMatchObject({
    output: "hi",
    result: { returns, lost: 5 },
  });
});

it("cuts what is too much and marks it, whatever the value", () => {
  const value = fc.oneof(
    fc.object({ maxDepth: 5, values: [fc.jsonValue({ maxDepth: 1 })] }),
    fc.integer({ min: 1, max: 300_000 }).map((length) => "x".repeat(length)),
    fc.integer({ min: 1, max: 20_000 }).map((length) => new Array(length).fill("entry")),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (values) => {
      const returns = values.map((each) => ({
        type: typeof each === "object" ? "table" : typeof each,
        value: each,
      }));
      const { result, bytes } = keepResult({ returns });
      expect(bytes).toBeLessThan(80_000);
      const { returns: kept } = result;
      expect(JSON.stringify(kept).length).toBeLessThan(150_000);
      kept.forEach((each, index) => {
        if (each.truncated !== true) expect(each.value).toEqual(values[index]);
      });
    }),
    { numRuns: 60 },
  );
});
