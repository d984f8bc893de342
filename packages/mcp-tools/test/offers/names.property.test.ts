import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtInNames } from "../../src/index.js";
import {
  fold,
  MAX_NAME_LENGTH,
  type NamedOffer,
  type NamedTool,
  OfferedNames,
} from "../../src/offers/names.js";

const reserved = ["exec-lua", "read-file"];
const keys = ["a", "b", "c"];
// Names that collide in every way: case folding, reserved words, length limits, tag look-alikes.
const names = [
  "door",
  "open-door",
  "open_door",
  "exec-lua",
  "exec_lua",
  "door_tag-a",
  "__btcp_ping",
  "tür auf!",
  `${"x".repeat(60)}1`,
  `${"x".repeat(60)}2`,
];
const signatures = ["{}", '{"n":1}'];

const offerOf = (key: string, name: string): NamedOffer => ({
  key,
  tag: `tag-${key}`,
  tools: [{ name, signature: "{}" }],
});

const asciiLetters: Record<string, string[]> = { l: ["1", "I"], o: ["0"], m: ["rn"], w: ["vv"] };
const letters: Record<string, string[]> = {
  a: ["\u0430", "\u03b1", "\u00e1"],
  c: ["\u0441", "\u217d"],
  e: ["\u0435", "\u{1d41e}", "\u00e9"],
  i: ["\u0456", "\u0131"],
  o: ["\u043e", "\u03bf", "\u0585"],
  p: ["\u0440"],
  s: ["\u0455"],
  t: ["t\u0301"],
  x: ["\u0445", "\u00d7"],
};
const separators = ["-", "_", "--", "_-", " ", ".", "\u2011", "\u2013"];
const invisible = ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f"];

const rewritten = (name: string, formsOf: (letter: string) => string[]) =>
  fc
    .tuple(...[...name].map((letter) => fc.constantFrom(letter, ...formsOf(letter))))
    .map((parts) => parts.join(""));

const visiblyDisguised = (name: string) =>
  rewritten(name, (letter) =>
    /[-_]/.test(letter) ? separators : [letter.toUpperCase(), ...(asciiLetters[letter] ?? [])],
  );
const disguised = (name: string) =>
  rewritten(name, (letter) =>
    /[-_]/.test(letter)
      ? separators
      : [
          letter.toUpperCase(),
          ...(asciiLetters[letter] ?? []),
          ...(letters[letter] ?? []),
          ...invisible.map((nothing) => letter + nothing),
          String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
        ],
  );

type Tools = NamedOffer["tools"];
type Step = { key: string; tools: Tools };

const step: fc.Arbitrary<Step> = fc.record({
  key: fc.constantFrom(...keys),
  tools: fc.uniqueArray(
    fc.record({ name: fc.constantFrom(...names), signature: fc.constantFrom(...signatures) }),
    { selector: ({ name }) => name, maxLength: 4 },
  ),
});

const isHidden = (name: string) => name.startsWith("__btcp_");

function* history(steps: readonly Step[]): Generator<NamedOffer[]> {
  const offers = new Map<string, NamedOffer>();
  for (const { key, tools } of steps) {
    if (tools.length === 0) offers.delete(key);
    else offers.set(key, { key, tag: `tag-${key}`, tools });
    yield [...offers.values()];
  }
}

const run = (steps: readonly Step[], check: (tools: NamedTool[], offers: NamedOffer[]) => void) => {
  const all = new OfferedNames(reserved);
  for (const offers of history(steps)) check(all.assign(offers), offers);
};

const always = (check: () => (tools: NamedTool[], offers: NamedOffer[]) => void) =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => run(steps, check())),
    { numRuns: 300 },
  );

describe("names of offered tools", () => {
  it("lead to everything that is offered, once, under any name", () => {
    always(() => (tools, offers) => {
      const reached = tools.flatMap(({ offered, providers, signature }) =>
        providers.map((key) => `${key} ${offered} ${signature}`),
      );
      const offered = offers.flatMap(({ key, tools: own }) =>
        own
          .filter(({ name }) => !isHidden(name))
          .map(({ name, signature }) => `${key} ${name} ${signature}`),
      );
      expect(reached.sort()).toEqual(offered.sort());
    });
  });

  it("are names that every client accepts, unique and not built in", () => {
    always(() => (tools) => {
      const folded = tools.map(({ shown }) => fold(shown));
      expect(new Set([...folded, ...reserved.map(fold)]).size).toBe(tools.length + reserved.length);
      for (const { shown } of tools) {
        expect(shown).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(shown.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
        expect(isHidden(shown)).toBe(false);
      }
    });
  });

  it("never silently come to mean another provider or another tool", () => {
    always(() => {
      const meant = new Map<string, string>();
      const called = new Map<string, string>();
      return (tools) => {
        for (const { shown, offered, providers, isShared } of tools) {
          expect(called.get(shown) ?? offered).toBe(offered);
          called.set(shown, offered);
          if (isShared) continue;
          expect(providers).toHaveLength(1);
          const [key = ""] = providers;
          expect(meant.get(shown) ?? key).toBe(key);
          meant.set(shown, key);
        }
      };
    });
  });

  it("are plain for the first provider, and for all that offer the same", () => {
    always(() => {
      const holders = new Map<string, { name: string; signature: string; owners: Set<string> }>();
      return (tools, offers) => {
        const inOrder = offers.flatMap(({ tools: own }) => own.map(({ name }) => name));
        const plainNames = inOrder.filter((name) => /^(open[-_])?door$/.test(name));
        for (const name of new Set(plainNames)) {
          const offering = offers.flatMap(({ key, tools: own }) =>
            own.filter((tool) => tool.name === name).map(({ signature }) => ({ key, signature })),
          );
          const holder = holders.get(fold(name));
          if (holder === undefined && offering[0] !== undefined) {
            const { signature } = offering[0];
            holders.set(fold(name), { name, signature, owners: new Set([offering[0].key]) });
          } else if (holder?.name === name) {
            const present = offering.filter(({ key }) => holder.owners.has(key));
            if (present[0] && !present.some(({ signature }) => signature === holder.signature)) {
              holder.signature = present[0].signature;
            }
          }
          const now = holders.get(fold(name));
          const members = offering.filter(
            ({ signature }) => now?.name === name && now.signature === signature,
          );
          for (const { key } of members) now?.owners.add(key);
          const shown = tools.find((tool) => tool.shown === name);
          expect(shown?.providers ?? []).toEqual(members.map(({ key }) => key));
          if (shown !== undefined) expect(shown.isShared).toBe((now?.owners.size ?? 0) > 1);
        }
      };
    });
  });

  it("with a tag are the same after a restart of the bridge, for the same offers", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const [offers = []] = [...history(steps)].slice(-1);
        const tagged = (tools: NamedTool[]) =>
          tools.filter(({ shown, offered }) => shown !== offered).map(({ shown }) => shown);
        const first = new OfferedNames(reserved);
        const again = new OfferedNames(reserved);
        expect(tagged(first.assign(offers))).toEqual(tagged(again.assign(offers)));
      }),
    );
  });

  it("that look like a built-in tool's are distinguished by a tag", () => {
    fc.assert(
      fc.property(fc.constantFrom(...builtInNames).chain(disguised), (name) => {
        fc.pre(!isHidden(name));
        const all = new OfferedNames(builtInNames);
        const [tool] = all.assign([offerOf("a", name)]);
        expect(tool?.offered).toBe(name);
        expect(tool?.shown).toMatch(/_(tag-a|[0-9a-f]{8})$/);
        expect(tool?.shown).toMatch(/^[A-Za-z0-9_-]+$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it("that look like another provider's are distinguished by a tag", () => {
    const plain = fc.constantFrom("open-door", "mine-ores", "Lamp", "control_room");
    const pair = plain.chain((name) => fc.tuple(fc.constant(name), visiblyDisguised(name)));
    fc.assert(
      fc.property(pair, ([name, disguise]) => {
        fc.pre(disguise !== name);
        const all = new OfferedNames(builtInNames);
        const [first, second] = all.assign([offerOf("a", name), offerOf("b", disguise)]);
        expect(first).toMatchObject({ shown: name, offered: name, providers: ["a"] });
        expect(second).toMatchObject({ offered: disguise, providers: ["b"] });
        expect(second?.shown).toMatch(/_(tag-b|[0-9a-f]{8})$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "Exec-Lua",
    "EXEC_LUA",
    "exec--lua",
    "exec-lua_",
    "execlua",
    "exec-1ua",
    "exec-Iua",
    "exec\u200b-lua",
    "exec\u2011lua",
    "ｅｘｅｃ-ｌｕａ",
    "\u0435xec-lua",
    "\u{1d41e}xec-lua",
    "exec-lu\u00e1",
    "e\u00d7ec-lua",
    "exec\u3164-lua",
  ])("keep %j from looking like exec-lua", (name) => {
    const [tool] = new OfferedNames(builtInNames).assign([offerOf("a", name)]);
    expect(tool?.shown).toMatch(/_tag-a$/);
  });

  it("that merely resemble one stay unchanged", () => {
    for (const name of ["exec-lua-file", "lua", "getTitle", "read-files", "redstone2", "door"]) {
      const [tool] = new OfferedNames(builtInNames).assign([offerOf("a", name)]);
      expect(tool?.shown).toBe(name);
    }
  });

  it("are forgotten only of the provider that offers too many", () => {
    const all = new OfferedNames(reserved);
    const offer = (key: string, tools: Tools) => ({ key, tag: `tag-${key}`, tools });
    all.assign([offer("a", [{ name: "door", signature: "{}" }])]);
    for (let round = 0; round < 20; round++) {
      const tools = Array.from({ length: 100 }, (_, index) => ({
        name: `t${round}-${index}`,
        signature: "{}",
      }));
      all.assign([offer("b", tools)]);
    }
    const [door] = all.assign([offer("c", [{ name: "door", signature: '{"n":1}' }])]);
    expect(door?.shown).toBe("door_tag-c");
    const [early] = all.assign([offer("c", [{ name: "t0-0", signature: "{}" }])]);
    expect(early).toMatchObject({ shown: "t0-0", isShared: false });
  });
});
