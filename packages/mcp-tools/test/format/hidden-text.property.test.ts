import { cleanJson, cleanText, printable, quoted, toJson } from "@ccbridge/registry";
import fc from "fast-check";
import { expect, it } from "vitest";
import { answer } from "../../src/core/run.js";
import { settings } from "../harness.js";

const hidden =
  /[^\P{Cc}\n\t]|[\p{Cs}\u2028\u2029\u3164\ufeff\u{e0000}-\u{e00ff}]|[\u{e0100}-\u{e01ef}]{2}|\u200b{2}/u;

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u200b", "\u202e", "\u2069", "\ufeff", "\u{e0041}", "\u{e0101}", "\u3164"),
      fc.constantFrom(
        "\u001b[2J",
        "\u0007",
        "\u2028",
        "\r\n",
        "\r",
        "\x7f",
        "\x85",
        "\ud800",
        "plain",
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
})).value;

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}

it("nothing that cannot be seen is left in a cleaned text, and nothing else is lost", () => {
  fc.assert(
    fc.property(text, (dirty) => {
      for (const clean of [cleanText, printable]) {
        expect(clean(dirty)).not.toMatch(hidden);
        expect(clean(clean(dirty))).toBe(clean(dirty));
      }
      const plain = dirty.replace(/[^\n\t\x20-\x7e]/g, "");
      expect(cleanText(plain)).toBe(plain);
      for (const json of [quoted(dirty, 1_000), toJson(dirty)]) {
        expect(json).not.toMatch(hidden);
        expect(JSON.parse(json)).toBe(dirty);
      }
    }),
    { numRuns: 2_000 },
  );
});

it("nothing that cannot be seen is left in cleaned JSON, keys included", () => {
  fc.assert(
    fc.property(json, (dirty) => {
      for (const each of textsOf(cleanJson(dirty))) expect(each).not.toMatch(hidden);
    }),
    { numRuns: 500 },
  );
});

it("blocks and errors have nothing that cannot be seen; facts have every character", async () => {
  const outcome = fc.record({
    message: text,
    structured: fc.dictionary(text, json, { maxKeys: 3 }),
    blocks: fc.option(
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant("text" as const), text }),
          fc.record({
            type: fc.constant("resource" as const),
            resource: fc.record({ uri: text, text }),
          }),
          fc.record({
            type: fc.constant("resource_link" as const),
            ...{ uri: text, name: text, title: text, description: text },
          }),
        ),
        { maxLength: 3 },
      ),
      { nil: undefined },
    ),
  });
  await fc.assert(
    fc.asyncProperty(outcome, fc.boolean(), async ({ message, structured, blocks }, fails) => {
      const run = async () => {
        if (fails) throw new Error(message);
        const facts = { text: "", structured: () => structured };
        return { ...facts, ...(blocks === undefined ? {} : { blocks }) };
      };
      const shown = await answer(run, { ...settings, structured: true });
      const { structuredContent, ...forPeople } = shown;
      for (const each of textsOf(forPeople)) expect(each).not.toMatch(hidden);
      if (!fails) expect(structuredContent).toEqual(structured);
    }),
    { numRuns: 1_000 },
  );
});
