import fc from "fast-check";
import { expect, it } from "vitest";
import { serialize } from "../src/mcp/transport/serialize.js";

it("an answer means the same however it is written", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('"\n\u2028\\'));
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text }),
    fc.record({ type: fc.constant("text"), text, _meta: fc.constant({ a: 1 }) }),
    fc.record({ type: fc.constant("image"), data: text }),
  );
  const result = fc.oneof(
    fc.record({ content: fc.array(block, { maxLength: 2 }) }),
    fc.record({ content: fc.array(block, { maxLength: 2 }), isError: fc.boolean() }),
    fc.constantFrom<object>({}, { content: undefined }, { content: "x" }, { tools: [] }),
  );
  const id = fc.oneof(fc.string(), fc.integer());
  fc.assert(
    fc.property(id, result, (id, result) => {
      const message = { jsonrpc: "2.0" as const, id, result };
      expect(JSON.parse(serialize(message) ?? "")).toEqual(JSON.parse(JSON.stringify(message)));
    }),
  );
});
