import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secrets } from "../../../src/auth/secrets/secrets.js";

const among = (...tokens: string[]) => new Secrets([{ edition: 0, tokens }]);

const letters = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom("a", "b") },
  { weight: 1, arbitrary: fc.constantFrom("-", '"', "\\", "é", "\u{1f600}") },
);
const text = fc.string({ unit: letters, maxLength: 40 });
const secret = fc.string({ unit: letters, minLength: 8, maxLength: 24 });

describe("a text without its secrets", () => {
  it("has the same length and none of them, whatever they have in common", () => {
    const parts = fc.array(fc.oneof(text, fc.nat(4)), { maxLength: 8 });
    const property = fc.property(
      fc.array(secret, { minLength: 1, maxLength: 5 }),
      parts,
      fc.boolean(),
      (tokens, pieces, isMany) => {
        const whole = pieces
          .map((piece) =>
            typeof piece === "number" ? (tokens[piece % tokens.length] ?? "") : piece,
          )
          .join("");
        const others = isMany ? Array.from({ length: 40 }, (_, index) => `other-${index}`) : [];
        const clean = among(...tokens, ...others).redact(whole);
        expect(clean).toHaveLength(whole.length);
        for (const token of tokens) expect(clean).not.toContain(token);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });

  it("is the same text when there is none in it", () => {
    const secrets = among("0123456789abcdef", "zzzzzzzzzzzz");
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (whole) => {
        expect(secrets.redact(whole)).toBe(whole);
      }),
    );
  });

  it("shows less than half of one where the text is cut", () => {
    const token = "3q2-7wQkLmN0pRsTuVxYz1A4B5C6D7E8F9GhIjKlMnO";
    const secrets = among(token);
    for (let cut = 0; cut <= token.length; cut++) {
      const first = secrets.redact(`token = ${token.slice(0, cut)}`);
      const second = secrets.redact(`${token.slice(cut)} and more`);
      for (let from = 0; from + 22 <= token.length; from++) {
        const half = token.slice(from, from + 22);
        expect(first, `cut at ${cut}`).not.toContain(half);
        expect(second, `cut at ${cut}`).not.toContain(half);
      }
    }
    expect(secrets.redact(`x${token}y`)).toBe(`x[secret]${"*".repeat(token.length - 8)}y`);
  });

  it("has none in its escaped form, and keeps short ones", () => {
    const token = 'a"quoted\\token';
    expect(among(token).redact(JSON.stringify({ token }))).not.toContain("quoted");
    expect(among("seven-7").redact("seven-7")).toBe("seven-7");
  });

  it("follows the tokens when they change", () => {
    const source = { edition: 0, tokens: ["the-first-token"] };
    const secrets = new Secrets([source]);
    expect(secrets.redact("the-first-token")).toBe("[secret]*******");
    Object.assign(source, { edition: 1, tokens: ["the-second-token"] });
    expect(secrets.redact("the-first-token the-second-token")).toBe(
      "the-first-token [secret]********",
    );
    Object.assign(source, { edition: 2, tokens: [] });
    expect(secrets.isEmpty).toBe(true);
  });
});
