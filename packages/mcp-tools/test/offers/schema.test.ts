import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { readInputSchema } from "../../src/offers/input-schema.js";

const check = (schema: object, args: object) => readInputSchema(schema).evaluator.check(args);
const problemsOf = (schema: object, args: object) => check(schema, args).problems;
const fits = (schema: object, value: unknown) =>
  problemsOf({ properties: { v: schema } }, { v: value }).length === 0;

describe("a schema is enforced whole", () => {
  it.each<[what: string, schema: object, good: unknown[], bad: unknown[]]>([
    ["an enum of 100", { enum: Array.from({ length: 100 }, (_, i) => `c${i}`) }, ["c99"], ["c100"]],
    [
      "an enum with null and objects",
      { enum: [null, { a: [1] }] },
      [null, { a: [1] }],
      [{ a: [2] }],
    ],
    [
      "oneOf with 40 forms",
      { oneOf: Array.from({ length: 40 }, (_, i) => ({ const: i })) },
      [39],
      [40],
    ],
    ["pattern", { pattern: "^[a-z]+$" }, ["abc", 5], ["<script>", ""]],
    ["pattern of whole characters", { pattern: "^\\p{L}.$" }, ["ß😀"], ["😀ß"]],
    ["format", { format: "date" }, ["2024-02-29"], ["2023-02-29", "today"]],
    ["format email", { format: "email" }, ["a@b.de"], ["a", "a@b@c"]],
    ["format uri", { format: "uri" }, ["https://a.b/c?d"], ["a b", "/x"]],
    ["an unknown format", { format: "mood" }, ["any"], []],
    ["multipleOf", { multipleOf: 0.1 }, [0.3, 1e9], [0.35]],
    ["length in characters", { maxLength: 2, minLength: 1 }, ["😀😀"], ["", "abc"]],
    [
      "uniqueItems",
      { uniqueItems: true },
      [[1, "1", { a: 1 }]],
      [
        [1, 1],
        [{ a: 1 }, { a: 1 }],
      ],
    ],
    ["contains", { contains: { const: 1 }, maxContains: 2 }, [[1], [1, 2, 1]], [[2], [1, 1, 1]]],
    ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, [["a"]], [[1], ["a", 1]]],
    ["items as a list", { items: [{ type: "string" }] }, [["a", 1]], [[1]]],
    ["propertyNames", { propertyNames: { pattern: "^x" } }, [{ xa: 1 }], [{ a: 1 }]],
    [
      "patternProperties",
      { patternProperties: { "^n": { type: "number" } }, additionalProperties: false },
      [{ n1: 1 }],
      [{ n1: "1" }, { m: 1 }],
    ],
    ["minProperties", { minProperties: 1 }, [{ a: 1 }], [{}]],
    [
      "dependentRequired",
      { dependentRequired: { a: ["b"] } },
      [{ b: 1 }, { a: 1, b: 1 }],
      [{ a: 1 }],
    ],
    ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, [{}], [{ a: 1 }]],
    ["not", { not: { type: "string" } }, [1], ["a"]],
    [
      "if, then, else",
      // biome-ignore lint/suspicious/noThenProperty: the keyword
      { if: { type: "string" }, then: { minLength: 2 }, else: { minimum: 5 } },
      ["ab", 5],
      ["a", 4],
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [{ b: 1 }],
    ],
    [
      "unevaluatedItems",
      { anyOf: [{ prefixItems: [true] }], unevaluatedItems: false },
      [[1]],
      [[1, 2]],
    ],
    ["exclusiveMinimum", { exclusiveMinimum: 1 }, [2], [1]],
    ["a false schema", { properties: { a: false } }, [{}], [{ a: 1 }]],
  ])("%s", (_, schema, good, bad) => {
    for (const value of good) expect([value, fits(schema, value)]).toEqual([value, true]);
    for (const value of bad) expect([value, fits(schema, value)]).toEqual([value, false]);
  });

  it("follows references, to itself too, and says which lead out of it", () => {
    const tree = {
      $defs: {
        node: { required: ["v"], properties: { kids: { items: { $ref: "#/$defs/node" } } } },
      },
      $ref: "#/$defs/node",
    };
    expect(problemsOf(tree, { v: 1, kids: [{ v: 2, kids: [] }] })).toEqual([]);
    expect(problemsOf(tree, { v: 1, kids: [{}] })).toEqual(["kids[0].v is missing."]);
    const anchored = {
      $defs: { a: { $anchor: "n", type: "number" } },
      properties: { x: { $ref: "#n" } },
    };
    expect(problemsOf(anchored, { x: "1" })).toHaveLength(1);
    const away = { properties: { x: { $ref: "https://example.org/x.json" } } };
    expect(check(away, { x: 1 })).toEqual({
      problems: [],
      skipped: ['the reference "https://example.org/x.json"'],
    });
  });

  it("takes top-level forms, unusual names and misspelt names of required arguments", () => {
    const either = { anyOf: [{ required: ["url"] }, { required: ["file", "line"] }] };
    expect(problemsOf(either, { url: "x" })).toEqual([]);
    expect(problemsOf(either, {})).toEqual([texts.allArgumentsTogetherMatchesNone]);
    const unusual = { properties: { größe: { type: "number" }, $filter: { type: "string" } } };
    expect(problemsOf(unusual, { größe: 1, $filter: "a" })).toEqual([]);
    expect(problemsOf(unusual, { größe: "1" })).toEqual(['größe must be a number, not "1".']);
  });

  it("does not take long, however it is built, and says what it did not check", () => {
    const $defs: Record<string, object> = { d60: { type: "number" } };
    for (let i = 0; i < 60; i++) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { anyOf: [next, next] };
    }
    const doubling = { $defs, properties: { a: { $ref: "#/$defs/d0" } } };
    const endless = { properties: { a: { $ref: "#/properties/a" } } };
    const many = {
      properties: { a: { items: { allOf: Array.from({ length: 500 }, () => ({})) } } },
    };
    const list = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    const pairs = { properties: { a: { uniqueItems: true } } };
    for (const [schema, a] of [
      [doubling, "x"],
      [endless, 1],
      [many, list],
      [pairs, list],
      [{ properties: { a: { pattern: "^(a+)+$" } } }, `${"a".repeat(200_000)}!`],
    ] as const) {
      const started = performance.now();
      const { problems, skipped } = check(schema, { a });
      expect([problems, skipped.length]).toEqual([[], 1]);
      expect(performance.now() - started).toBeLessThan(5_000);
    }
    expect(
      problemsOf({ properties: { a: { pattern: "^(a+)+$" } } }, { a: `${"a".repeat(40)}!` }),
    ).toHaveLength(1);
    expect(check({ properties: { a: { pattern: "(?=a)b" } } }, { a: "x" }).skipped).toEqual([
      'the pattern "(?=a)b"',
    ]);
  });
});

describe("a schema is listed in a form that clients accept", () => {
  const listed = (schema: object) => readInputSchema(schema);

  it("has an object at its root, and no forms or references there", () => {
    const {
      listed: shown,
      words,
      isWhole,
    } = listed({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      oneOf: [
        { properties: { url: { type: "string" } }, required: ["url"] },
        { properties: { file: { type: "string" } }, required: ["file"] },
      ],
      allOf: [{ properties: { n: { $ref: "#/$defs/n" } }, required: ["n"] }],
      $defs: { n: { type: "number", description: "how many" } },
    });
    expect(shown).toEqual({
      type: "object",
      properties: {
        n: { type: "number", description: "how many" },
        url: { type: "string" },
        file: { type: "string" },
      },
      required: ["n"],
    });
    expect(words).toEqual(["Give either url, or file.", texts.listOfferedToolsShows]);
    expect(isWhole).toBe(false);
  });

  it("has plain names; the others are in words, and may be given", () => {
    const { listed: shown, words } = listed({
      properties: { a: {}, größe: { type: "number", description: "in cm" } },
      required: ["größe", "a"],
      additionalProperties: false,
    });
    expect(shown).toEqual({ type: "object", properties: { a: {} }, required: ["a"] });
    expect(words).toEqual([texts.itAlsoHasTheRequired]);
  });

  it("is the schema itself where clients accept that", () => {
    const plain = {
      type: "object",
      properties: {
        a: { type: "string", pattern: "^a", description: "x" },
        b: { type: "array", items: { enum: [null, 1] } },
      },
      required: ["a"],
      additionalProperties: false,
    };
    expect(listed(plain)).toMatchObject({ listed: plain, words: [], isWhole: true });
  });

  it("ends, also for references to itself, and hides nothing in its texts", () => {
    const { listed: shown } = listed({
      properties: { a: { $ref: "#" }, b: { description: "x\u{e0041}\ud800y", enum: ["\u202e"] } },
    });
    expect(JSON.stringify(shown).length).toBeLessThan(20_000);
    expect(shown.properties.b).toEqual({ description: "x�y", enum: ["�"] });
  });

  it("never has what clients refuse, whatever is offered", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "anyOf",
      "allOf",
      "$ref",
      "items",
      "required",
      "not",
      "a b",
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(
        keyword,
        fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom("object", "#", "string", true, false, null, 1),
          fc.array(tie("schema"), { maxLength: 3 }),
          fc.dictionary(fc.string({ maxLength: 3 }), tie("schema"), { maxKeys: 3 }),
        ),
        { maxKeys: 4 },
      ),
    }));
    fc.assert(
      fc.property(schema, (offered) => {
        let shown: Record<string, unknown>;
        try {
          shown = readInputSchema(offered).listed;
        } catch (error) {
          expect((error as Error).name).toBe("InputSchemaError");
          return;
        }
        expect(shown.type).toBe("object");
        for (const word of ["anyOf", "oneOf", "allOf", "$ref", "not"])
          expect(shown).not.toHaveProperty(word);
        for (const [name, part] of Object.entries(shown.properties as object)) {
          expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
          expect(typeof part === "object" && part !== null && !Array.isArray(part)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
