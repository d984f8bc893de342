import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { compilePattern } from "../../src/matcher.js";
import { CommandPatterns, PatternError, suggestedPatterns } from "../../src/minecraft/index.js";
import { parsePattern, type Syntax } from "../../src/pattern-syntax.js";

const LONGEST_SUBJECT = 8;
const MAX_PATHS = 1e6;

type Paths = readonly number[];

const join = (a: Paths, b: Paths): Paths =>
  a.map((_, length) => a.reduce((sum, ways, at) => sum + ways * (b[length - at] ?? 0), 0));
const either = (a: Paths, b: Paths): Paths => a.map((ways, length) => ways + (b[length] ?? 0));
const nothing: Paths = Array.from({ length: LONGEST_SUBJECT + 1 }, (_, i) => (i === 0 ? 1 : 0));
const character: Paths = nothing.map((_, length) => (length <= 1 ? 1 : 0));

function pathsThrough(syntax: Syntax): Paths {
  switch (syntax.kind) {
    case "character":
      return character;
    case "sequence":
      return syntax.items.map(pathsThrough).reduce(join, nothing);
    case "choice":
      return syntax.items.map(pathsThrough).reduce(either);
    case "repeat": {
      const item = pathsThrough(syntax.item);
      const optional = item.map((ways, length) => (length === 0 ? 0 : ways));
      let repeated = nothing;
      for (let count = 0; count < syntax.min; count++) repeated = join(repeated, item);
      let all = repeated;
      for (
        let count = syntax.min;
        count < Math.min(syntax.max, syntax.min + LONGEST_SUBJECT);
        count++
      ) {
        repeated = join(repeated, optional);
        all = either(all, repeated);
      }
      return all;
    }
    default:
      return nothing;
  }
}

function affordableLength(syntax: Syntax): number {
  let paths = 0;
  const tooLong = pathsThrough(syntax).findIndex((ways) => {
    paths += ways;
    return paths > MAX_PATHS;
  });
  return tooLong === -1 ? LONGEST_SUBJECT : Math.max(0, tooLong - 1);
}

const allows = (pattern: string, command: string) =>
  new CommandPatterns([pattern]).check(command).ok;

describe("allowed commands", () => {
  it("are refused without patterns", () => {
    expect(new CommandPatterns([]).check("say hi")).toEqual({
      ok: false,
      code: "INVALID_COMMAND",
      reason: texts.noCommandsAreAllowed,
    });
  });

  it("must match a pattern as a whole, with or without anchors", () => {
    expect(allows("say", "say hi")).toBe(false);
    expect(allows("^say .*", "say hi")).toBe(true);
    expect(allows("^say .*", "execute run say hi")).toBe(false);
    expect(allows("say hi|stop", "stop now")).toBe(false);
    expect(allows("say .*", "SAY hi")).toBe(false);
  });

  it.each(["\n", "\r", "\u2028", "\u2029", "\u0000", "\u0085", "\u007f", "\ud800"])(
    "hold no control character %j",
    (char) => {
      expect(allows("^say .*", `say hi${char}op x`)).toBe(false);
      expect(allows("[^]*", `say hi${char}`)).toBe(false);
    },
  );

  it("lose one leading slash, not two", () => {
    expect(new CommandPatterns(["say .*"]).check("/say hi")).toEqual({
      ok: true,
      command: "say hi",
    });
    expect(allows("say .*", "//say hi")).toBe(false);
    expect(allows("say .*", "/")).toBe(false);
  });

  it("have at most 256 characters, or fewer if asked", () => {
    expect(allows("a*", "a".repeat(256))).toBe(true);
    expect(allows("a*", "a".repeat(257))).toBe(false);
    expect(new CommandPatterns(["a*"], 10).check("a".repeat(11)).ok).toBe(false);
    expect(new CommandPatterns(["a*"], 9_999).check("a".repeat(257)).ok).toBe(false);
  });

  it("are tested in no time, even where other engines need years", () => {
    const started = process.cpuUsage();
    for (const pattern of ["(a+)+$", "(a|a)*b", "(a?){100}a{100}", ".*.*.*.*.*.*.*.*x"]) {
      expect(allows(pattern, `${"a".repeat(250)}!`)).toBe(false);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it("begin with suggestions that do what they say", () => {
    const patterns = new CommandPatterns(suggestedPatterns);
    for (const good of [
      "say hello there",
      "tp Steve 10.5 64 -3.25",
      "give Steve minecraft:diamond 3",
      "give Steve diamond 64",
    ]) {
      expect(patterns.check(good).ok, good).toBe(true);
    }
    for (const bad of ["op Steve", "tp @a 1 2 3", "give Steve diamond 64 extra", "say"]) {
      expect(patterns.check(bad).ok, bad).toBe(false);
    }
  });
});

describe("patterns", () => {
  it.each([
    ["(", /Unterminated group/],
    ["a)|(b", /Unmatched/],
    ["(?=a)b", /look-around/],
    ["(?<!a)b", /look-around/],
    ["(a)\\1", /references/],
    ["a\\", /at end of pattern/],
    ["\\p{L}", /not supported/],
    ["(((a{99}){99}){99}){99}", /too large/],
    ["a".repeat(1_001), /longer/],
    [`${"(".repeat(80)}${")".repeat(80)}`, /deeply/],
  ])("refuses %s", (pattern, reason) => {
    expect(() => new CommandPatterns([pattern])).toThrow(PatternError);
    expect(() => new CommandPatterns([pattern])).toThrow(reason);
  });

  const atom = fc.constantFrom(
    ..."ab \\w \\d \\s \\W . [a-c] [^b] [\\d-] \\. \\- ^ $ \\b \\B \\x61 \\u0062".split(" "),
    " ",
  );
  const quantifier = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?");
  const { pattern } = fc.letrec<{ pattern: string; group: string; piece: string }>((tie) => ({
    pattern: fc
      .array(fc.array(tie("piece"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((choices) => choices.map((pieces) => pieces.join("")).join("|")),
    group: fc
      .tuple(fc.constantFrom("(", "(?:", "(?<n>"), tie("pattern"))
      .map(([open, inner]) => `${open}${inner})`),
    piece: fc
      .tuple(fc.oneof({ maxDepth: 2 }, atom, tie("group")), quantifier)
      .map(([item, repeat]) => (/^(\^|\$|\\b|\\B)$/.test(item) ? item : item + repeat)),
  }));

  it("mean what they mean in JavaScript", () => {
    const unit = fc.constantFrom(..."abc1 -._é");
    const subject = fc.string({ unit, maxLength: LONGEST_SUBJECT });
    fc.assert(
      fc.property(pattern, fc.array(subject, { minLength: 1, maxLength: 10 }), (source, texts) => {
        let oracle: RegExp;
        try {
          new RegExp(source);
          oracle = new RegExp(`^(?:${source})$`);
        } catch {
          return;
        }
        const matcher = compilePattern(source);
        const length = affordableLength(parsePattern(source));
        for (const text of texts.map((each) => each.slice(0, length))) {
          expect([text, matcher.test(text)]).toEqual([text, oracle.test(text)]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("mean what they mean in JavaScript with the flag u, anywhere in a text", () => {
    const unit = fc.constantFrom(..."abc1 -._é", "😀", "ß", "\u2028");
    const wide = fc.constantFrom(
      "",
      "\\p{L}",
      "\\P{Lu}+",
      "\\u{1f600}",
      "\\ud83d\\ude00?",
      "[😀-😂]",
      "😀*",
      ".",
    );
    const subject = fc.string({ unit, maxLength: 12 });
    fc.assert(
      fc.property(pattern, wide, fc.array(subject, { minLength: 1 }), (source, more, texts) => {
        let oracle: RegExp;
        try {
          new RegExp(source + more, "u");
          // Unanchored, V8 also tries positions inside surrogate pairs, which the specification skips.
          oracle = new RegExp(`^[^]*?(?:${source}${more})`, "u");
        } catch {
          return;
        }
        const matcher = compilePattern(source + more, { anywhere: true, unicode: true });
        const length = affordableLength(parsePattern(source + more, true));
        for (const text of texts.map((each) => [...each].slice(0, length).join(""))) {
          expect([text, matcher.test(text)]).toEqual([text, oracle.test(text)]);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
