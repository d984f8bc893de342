import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkArguments } from "../../src/offers/check-arguments.js";
import { readInputSchema, signatureOf } from "../../src/offers/input-schema.js";

const quarry = readInputSchema({
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
});

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
    [{ depth: 1, at: { y: 1 } }, ["There is no argument at.y. Did you mean at.x?"]],
    [{ depth: 1, names: ["ok", "long!"] }, ["names[1] must have at most 4 characters, not 5."]],
    [{ depth: 1, names: ["a", "b", "c", "d"] }, ["names must have at most 3 entries, not 4."]],
    [{ depth: 1, names: "a" }, ['names must be an array, not "a".']],
    [{ depth: 1, open: 1 }, ["open must be a boolean or null, not 1."]],
    [{ depth: 1, size: "some" }, ["size matches none of its allowed forms."]],
    [
      { deepth: 3 },
      ['depth is missing: "how deep".', "There is no argument deepth. Did you mean depth?"],
    ],
    [
      { depth: 1, zzz: 1 },
      ["There is no argument zzz. The arguments are depth, mode, at, names, open, size."],
    ],
    [{ depth: 1, constructor: 1 }, [expect.stringContaining("There is no argument constructor.")]],
  ])("%j: %j", (args, problems) => {
    expect(checkArguments(quarry, args)).toEqual(problems);
  });

  it("accepts what Lua makes of empty tables, and anything where the schema is silent", () => {
    for (const empty of [undefined, {}, [], { type: "object", properties: [] }]) {
      const schema = readInputSchema(empty);
      expect(schema).toEqual({ type: "object", properties: {} });
      expect(checkArguments(schema, {})).toEqual([]);
      expect(checkArguments(schema, { x: 1 })).toEqual([
        "There is no argument x. It takes no arguments.",
      ]);
    }
    const open = readInputSchema({ additionalProperties: true });
    expect(checkArguments(open, { x: { y: [1] } })).toEqual([]);
    const loose = readInputSchema({ properties: { data: { type: "object" } } });
    expect(checkArguments(loose, { data: { anything: 1 } })).toEqual([]);
  });

  it.each([
    [{ type: "string" }, "must be an object"],
    ["text", "not a JSON schema"],
    [{ properties: { a: "string" } }, "not a JSON schema"],
    [{ properties: { "a b": {} } }, "unusual name"],
    [{ properties: { __proto__x: {}, "": {} } }, "unusual name"],
    [nested(10), "nested too deeply"],
    [
      { properties: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, {}])) },
      "too large",
    ],
  ])("%j is refused: %s", (schema, reason) => {
    expect(() => readInputSchema(schema)).toThrow(reason);
  });

  it("is cleaned, and keeps only what is understood", () => {
    const schema = readInputSchema({
      $ref: "http://evil",
      properties: {
        a: { type: "string", pattern: "(a+)+$", description: "x\u202e\u0000y", format: "uri" },
        description: { type: "string", default: "d\n" },
      },
      required: ["a", "a", "toString", 5],
    });
    expect(schema).toEqual({
      type: "object",
      properties: {
        a: { type: "string", description: "x y" },
        description: { type: "string", default: "d " },
      },
      required: ["a"],
    });
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
    const properties = { constructor: { type: "string" } };
    const schema = readInputSchema({ properties, required: ["constructor"] });
    expect(checkArguments(schema, {})).toEqual(["constructor is missing."]);
    expect(checkArguments(schema, { constructor: "x" })).toEqual([]);
  });

  it("is not checked without end", () => {
    const forms = { anyOf: Array.from({ length: 16 }, (_, index) => ({ const: index })) };
    const schema = readInputSchema({ properties: { list: { type: "array", items: forms } } });
    const list = Array.from({ length: 100_000 }, () => 15);
    expect(checkArguments(schema, { list })).toEqual([expect.stringContaining("too many")]);
    expect(checkArguments(schema, { list: list.slice(0, 2_000) })).toEqual([]);
  });

  it("never throws anything but a refusal, and never takes long, whatever is offered", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 5 }), fc.object({ maxDepth: 4 }), (offered, args) => {
        try {
          const schema = readInputSchema({ properties: offered });
          expect(JSON.stringify(schema).length).toBeLessThan(200_000);
          for (const problem of checkArguments(schema, args)) expect(typeof problem).toBe("string");
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
