import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeRequest as toPage } from "../src/btcp/index.js";
import {
  encodeFrame,
  removedNote,
  replaceHidden,
  shownText,
  wellFormedEscapes,
  wellFormedJson,
} from "../src/index.js";
import { encodeRequest as toServer } from "../src/minecraft/index.js";

describe("what people write stays as it is", () => {
  it.each([
    ["a family", "👨‍👩‍👧‍👦"],
    ["a flag with a selector and a joiner", "🏳️‍🌈"],
    [
      "the flag of Scotland, in tag characters",
      "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    ],
    ["a skin tone", "👩🏽‍🚀"],
    ["Persian with its non-joiner", "می\u200cخواهم"],
    ["Hindi with joiners", "क्\u200dष क्\u200cष"],
    ["a heart in colour", "❤️"],
    ["a variant of an ideograph", "葛\u{e0100}"],
    ["Hebrew inside English, isolated", "see \u2067שלום\u2069 there"],
    ["an embedded direction", "\u202bשלום\u202c"],
    ["a paired override", "\u202eabc\u202c"],
    ["a place where a word may break", "super\u200bcali"],
    ["a soft hyphen", "Donau\u00addampf"],
    ["an Arabic number sign", "\u0600\u0661"],
    ["lines and tabs", "a\tb\nc"],
  ])("%s", (_, text) => expect(shownText(text)).toEqual({ text, removed: 0 }));
});

describe("what hides text is replaced, and counted", () => {
  const tags = [..."ignore all"].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0)));
  it.each([
    ["tag characters", `a${tags.join("")}b`, "a�b", 10],
    ["tags behind a flag that does not exist", `🏴${tags.join("")}`, "🏴�", 10],
    ["a message in zero-width characters", "a\u200b\u200c\u200d\u200bb", "a\u200b�b", 3],
    ["a message in variation selectors", "a\ufe01\ufe02\ufe03b", "a\ufe01�b", 2],
    ["a selector of ideographs behind a letter", "a\u{e0100}", "a�", 1],
    ["an override that is never closed", "abc\u202edef", "abc�def", 1],
    ["an isolate that is closed on another line", "\u2066a\nb\u2069", "�a\nb�", 2],
    ["an end without a beginning", "a\u202c", "a�", 1],
    ["an override inside an isolate that ends first", "\u2066\u202ea\u2069", "\u2066�a\u2069", 1],
    ["fillers", "\u3164\u115f", "�", 2],
    ["a byte order mark", "\ufeffa", "�a", 1],
    ["later control characters", "a\u0085b", "a�b", 1],
    ["half characters", "a\ud800b\udc00", "a�b�", 2],
  ])("%s", (_, dirty, text, removed) => expect(shownText(dirty)).toEqual({ text, removed }));

  it("shows control characters as symbols, and line breaks of other systems as line breaks", () => {
    expect(shownText("a\0b\u001b[2J\r\nc\rd\u2028e\x7f")).toEqual({
      text: "a␀b␛[2J\nc␍d\ne␡",
      removed: 0,
    });
  });

  it("has words for it", () => {
    expect(removedNote(0)).toBe("");
    expect(removedNote(1)).toBe("[1 invisible character was replaced by �]");
    expect(removedNote(12)).toBe("[12 invisible characters were replaced by �]");
  });
});

const part = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\u200b", "\u200d", "\ufe0f", "\u202e", "\u202c", "\u2066", "\u2069"),
  fc.constantFrom("\u{e0041}", "\u{e0101}", "\u3164", "\ud800", "\udc00", "\x1b", "\x85", "\r\n"),
);
const hostile = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));

it("whatever comes in, what leaves is well-formed and hides no run of characters", () => {
  const control = /[^\P{Cc}\n\t]/u;
  const run = /(?![\ufe00-\ufe0f][\u200b-\u200f])(?:(?![\u202a-\u202e\u2066-\u2069])\p{DI}){2}/u;
  fc.assert(
    fc.property(hostile, (dirty) => {
      const { text } = shownText(dirty);
      expect(text).not.toMatch(/\p{Cs}/u);
      expect(text).not.toMatch(control);
      expect(text).not.toMatch(run);
      expect(shownText(text)).toEqual({ text, removed: 0 });
      expect(replaceHidden(dirty, (hidden) => hidden)).toBe(dirty);
    }),
    { numRuns: 5_000 },
  );
});

it.each<[string, (params: Record<string, string>) => string]>([
  [
    "a computer",
    (params) => encodeFrame({ type: "request", id: "1", method: "exec-lua", params } as never),
  ],
  ["a page", (params) => toPage("1", "tools/call", params)],
  [
    "a server",
    (params) => toServer({ source: "mcp", id: "1" }, { command: "execute", args: params }),
  ],
])("what is sent to %s has no half characters, and every other one unchanged", (_, encode) => {
  fc.assert(
    fc.property(hostile, hostile, (key, value) => {
      const strings = new Set<string>();
      JSON.parse(encode({ [`k${key}`]: value, plain: "\\ud800 a😀" }), (name, item) => {
        strings.add(name);
        if (typeof item === "string") strings.add(item);
        return item;
      });
      for (const text of strings) expect(text).not.toMatch(/\p{Cs}/u);
      expect(strings).toContain("\\ud800 a😀");
      expect(strings).toContain(value.replace(/\p{Cs}/gu, "\ufffd"));
    }),
  );
});

it("JSON of another program means the same, without half characters", () => {
  fc.assert(
    fc.property(fc.array(hostile), (texts) => {
      const lines = [...texts, "\\ud83d", "\\\ud83d", "\ud83d\\ude00"];
      const escaped = JSON.stringify(lines).replace(
        /[\ud800-\udfff]/g,
        (half) => `\\u${half.charCodeAt(0).toString(16)}`,
      );
      expect(JSON.parse(wellFormedEscapes(escaped))).toEqual(JSON.parse(wellFormedJson(lines)));
    }),
  );
});

it("takes time in proportion to the text", () => {
  for (const unit of ["\u2066", "\u202e", "\u2066\u202c", "\u202a\u2069", "\u200b", "\u{e0041}"]) {
    const started = performance.now();
    shownText(unit.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  }
});

it("what hides text is shown behind a control character too", () => {
  expect(shownText("a\u0000\u202eb\u202e\u202ec")).toEqual({
    text: "a␀\ufffdb\ufffdc",
    removed: 3,
  });
});
