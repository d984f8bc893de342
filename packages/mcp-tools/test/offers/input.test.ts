import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { readInputSchema, signatureOf } from "../../src/offers/input-schema.js";

function problemsOf(schema: unknown, args: object): string[] {
  return readInputSchema(schema).evaluator.check(args).problems;
}

const quarry = {
  type: "object",
  properties: {
    depth: { type: "integer", minimum: 1, maximum: 64, description: "how deep" },
    mode: { enum: ["fast", "safe"] },
    at: { type: "object", properties: { x: { type: "number" }, z: { type: "number" } } },
    names: { type: "array", items: { type: "string", maxLength: 4 }, maxItems: 3 },
    open: { type: ["boolean", "null"] },
    size: { anyOf: [{ type: "integer" }, { const: "all" }] },
  },
  required: ["depth"],
};

describe("the input of an offered tool", () => {
  it.each([
    [{ depth: 3 }, []],
    [{ depth: 3, mode: "safe", at: { x: 1.5 }, names: ["a"], open: null, size: "all" }, []],
    [{}, ['depth is missing: "how deep".']],
    [{ depth: "3" }, ['depth must be an integer, not "3".']],
    [{ depth: 2.5 }, ["depth must be an integer, not 2.5."]],
    [{ depth: 0 }, ["depth must be at least 1, not 0."]],
    [{ depth: 65 }, ["depth must be at most 64, not 65."]],
    [{ depth: 1, mode: "slow" }, ['mode must be one of "fast", "safe", not "slow".']],
    [{ depth: 1, at: { x: "1" } }, ['at.x must be a number, not "1".']],
    [{ depth: 1, names: ["ok", "long!"] }, ["names[1] must have at most 4 characters, not 5."]],
    [{ depth: 1, names: ["a", "b", "c", "d"] }, ["names must have at most 3 entries, not 4."]],
    [{ depth: 1, names: "a" }, ['names must be an array, not "a".']],
    [{ depth: 1, open: 1 }, ["open must be a boolean or null, not 1."]],
    [{ depth: 1, size: "some" }, ["size matches none of its allowed forms."]],
    [{ deepth: 3 }, ['depth is missing: "how deep". There is no argument deepth.']],
    [{ depth: 1, zzz: 1 }, []],
  ])("%j: %j", (args, problems) => {
    expect(problemsOf(quarry, args)).toEqual(problems);
  });

  it("takes anything where the schema is silent, and what Lua makes of empty tables", () => {
    for (const empty of [undefined, {}, [], { type: "object" }, { properties: [] }, true]) {
      expect(readInputSchema(empty).listed).toEqual({ type: "object", properties: {} });
      expect(problemsOf(empty, {})).toEqual([]);
      expect(problemsOf(empty, { x: { y: [1] } })).toEqual([]);
    }
    const closed = { properties: { depth: {} }, additionalProperties: false };
    expect(problemsOf(closed, { deepth: 1 })).toEqual([texts.thereIsNoArgumentDeepth]);
    expect(problemsOf({ additionalProperties: false }, { x: 1 })).toEqual([
      texts.thereIsNoArgumentIt,
    ]);
  });

  it.each([
    [{ type: "string" }, "must be an object"],
    ["text", "not a JSON schema"],
    [{ properties: { a: "string" } }, 'not a JSON schema at "properties/a"'],
    [{ anyOf: [{ properties: { a: 7 } }] }, "not a JSON schema"],
    [nested(20), "nested 41 deep, where 32 is the limit"],
    [{ properties: names(5_000) }, "characters, where 32768 is the limit"],
    [{ enum: Array(5_000).fill(1) }, "values, where 4000 is the limit"],
  ])("%j is refused: %s", (schema, reason) => {
    expect(() => readInputSchema(schema)).toThrow(reason);
  });

  it("is equal when only its texts or the order of its parts differ", () => {
    const [a, b, c, d] = [
      { a: { type: "string", description: "one" }, description: { type: "number" } },
      { description: { type: "number", title: "N" }, a: { description: "two", type: "string" } },
      { a: { type: "string", description: "one" } },
      { a: { type: "string" }, description: { type: "string" } },
    ].map((properties) => signatureOf(readInputSchema({ properties })));
    expect(b).toBe(a);
    expect(c).not.toBe(a);
    expect(d).not.toBe(a);
  });

  it("does not mistake inherited properties for arguments", () => {
    const schema = {
      properties: { constructor: { type: "string" } },
      required: ["constructor"],
      additionalProperties: false,
    };
    expect(problemsOf(schema, {})).toEqual(["constructor is missing."]);
    expect(problemsOf(schema, { constructor: "x" })).toEqual([]);
    expect(problemsOf(schema, { constructor: "x", toString: 1 })).toHaveLength(1);
  });

  it("never throws anything but a refusal, and never takes long, whatever is offered", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 5 }), fc.object({ maxDepth: 4 }), (offered, args) => {
        try {
          const schema = readInputSchema({ properties: offered });
          expect(JSON.stringify(schema.listed).length).toBeLessThan(200_000);
          for (const problem of schema.evaluator.check(args).problems) {
            expect(typeof problem).toBe("string");
          }
        } catch (error) {
          expect((error as Error).name).toBe("InputSchemaError");
        }
      }),
    );
  });
});

function nested(depth: number): object {
  return depth === 0 ? {} : { properties: { a: nested(depth - 1) } };
}

function names(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, {}]));
}
