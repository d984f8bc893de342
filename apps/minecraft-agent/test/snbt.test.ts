import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSnbt, parseSnbtAt, type Snbt, SnbtError } from "../src/snbt/parse.js";

interface Written {
  value: Snbt;
  text: string;
}

const space = fc.constantFrom("", " ", "  ");
const suffixed = (suffixes: string) => fc.constantFrom(...suffixes, ...suffixes.toUpperCase());

const integer = fc
  .tuple(fc.integer(), fc.oneof(fc.constant(""), suffixed("bsfdl")))
  .map(([value, suffix]): Written => ({ value, text: `${value}${suffix}` }));
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value): Written => {
  const isSafe = Number.isSafeInteger(Number(value));
  return { value: isSafe ? Number(value) : value, text: `${value}L` };
});
const double = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom("d", "D", "f"))
  .map(([value, suffix]): Written => {
    const text = Object.is(value, -0) ? "-0.0" : String(value).replace("e+", "E").replace("e", "E");
    return { value, text: `${text}${suffix}` };
  });
const boolean = fc.boolean().map((value): Written => ({ value: value ? 1 : 0, text: `${value}` }));

function quote(text: string, mark: string): string {
  return mark + text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`) + mark;
}
const text = fc
  .tuple(fc.string({ unit: "binary" }), fc.constantFrom('"', "'"))
  .map(([value, mark]): Written => ({ value, text: quote(value, mark) }));
const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][\w.+-]{0,8}$/).map((name) => ({ name, text: name })),
  fc.string({ unit: "binary" }).map((name) => ({ name, text: quote(name, '"') })),
);
const array = fc
  .tuple(fc.constantFrom("B", "I", "L"), fc.array(fc.integer({ min: -128, max: 127 })))
  .map(([letter, value]): Written => ({ value, text: `[${letter}; ${value.join(", ")}]` }));

const { value: written } = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    integer,
    long,
    double,
    boolean,
    text,
    array,
    fc.tuple(fc.array(tie("value"), { maxLength: 5 }), space).map(
      ([items, gap]): Written => ({
        value: items.map(({ value }) => value),
        text: `[${items.map((item) => item.text).join(`,${gap}`)}]`,
      }),
    ),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie("value")), {
          maxLength: 5,
          selector: ([{ name }]) => name,
        }),
        space,
      )
      .map(
        ([entries, gap]): Written => ({
          value: Object.assign(
            Object.create(null),
            ...entries.map(([{ name }, item]) => ({ [name]: item.value })),
          ),
          text: `{${entries.map(([{ text }, item]) => `${text}:${gap}${item.text}`).join(`,${gap}`)}}`,
        }),
      ),
  ),
}));

describe("SNBT", () => {
  it("reads back everything that a server can write", () => {
    fc.assert(
      fc.property(written, ({ value, text }) => {
        expect(parseSnbt(text)).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("never does anything but give a value or refuse the text", () => {
    const piece = fc.constantFrom(..."{}[]:;,\"'\\ab1.-dLBI ", "true");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          parseSnbt(pieces.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(SnbtError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, Snbt]>([
    ["1.0E-4d", 0.0001],
    ["20.0f", 20],
    ["[I; 10, 64, -3]", [10, 64, -3]],
    ["[1.5d, 64.0d, -3.25d]", [1.5, 64, -3.25]],
    ["hello", "hello"],
    [`'{"text":"Sting"}'`, '{"text":"Sting"}'],
    ['"a\\u00e9\\x21\\n"', "aé!\n"],
    ["[true, false]", [1, 0]],
  ])("reads %s", (text, value) => {
    expect(parseSnbt(text)).toEqual(value);
  });

  it("reads a value that other text follows", () => {
    expect(parseSnbtAt("[1d, 2d]Zed has", 0)).toEqual({ value: [1, 2], end: 8 });
  });

  it("refuses what is nested too deeply, and is not fooled by __proto__", () => {
    expect(() => parseSnbt(`${"[".repeat(1_000)}${"]".repeat(1_000)}`)).toThrow(SnbtError);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    parseSnbt("{__proto__: {x: 1}}");
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});
