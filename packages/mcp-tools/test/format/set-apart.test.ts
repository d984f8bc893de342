import { utf8Length } from "@ccbridge/protocol";
import { computerName } from "@ccbridge/registry";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { answer } from "../../src/core/run.js";
import { block, cutLines, excerpt, inline, quoted } from "../../src/format/set-apart.js";
import { call, createRegistry, link, linkRaw, settings } from "../harness.js";

const unit = fc.constantFrom(
  "a",
  " ",
  "\n",
  "\t",
  "\r",
  "\u001b",
  "\u200b",
  '"',
  "|",
  "é",
  "€",
  "😀",
);
const text = fc.string({ unit, maxLength: 3_000 });

describe("a value inside a line", () => {
  it.each([
    "minecraft:chest_0",
    "/programs/dig.lua",
    "Ender_Chest",
    "höhle",
    "https://example.org:8080",
  ])("is shown unquoted if it is a single word: %s", (value) => expect(inline(value)).toBe(value));

  it.each([
    ["", '""'],
    ["two words", '"two words"'],
    ["Returned:", '"Returned:"'],
    ["a,b", '"a,b"'],
    ["a)", '"a)"'],
    ['say "hi"', '"say \\"hi\\""'],
    ["a\nb\u001b\u202e", '"a\\nb\\u001b\\u202e"'],
    ["\u3164", '"\\u3164"'],
    ["x".repeat(200), `"${"x".repeat(128)}"...`],
  ])("is a JSON string otherwise: %j", (value, shown) => expect(inline(value)).toBe(shown));

  it("is a label as the link protocol shows it, and quoted if it has other characters", () => {
    const name = (label: string | null) => computerName({ computerId: 12, label });
    for (const label of ["base-turtle", "my base 2.0", "Höhle_1"]) {
      expect(name(label)).toBe(`12 (Label: ${label})`);
    }
    expect(name(null)).toBe("12 (Label: null)");
    expect(name("a), 13 (Label: b")).toBe('12 (Label: "a), 13 (Label: b")');
  });

  it("is never longer than it may be, whatever is in it", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 200 }), (value, most) => {
        expect(quoted(value, most).length).toBeLessThanOrEqual(most + '""...'.length);
      }),
    );
  });
});

describe("lines from the game", () => {
  it("have a bar before each of them", () => {
    expect(block("one\r\n\ntwo\n")).toBe("| one\u240d\n| \n| two");
    expect(block(excerpt(`a\n${"b".repeat(500)}`, 200))).toMatch(
      /^\| a\n\| b+\n\[\d+ characters left out here\]\n\| b+$/,
    );
  });

  it("fit, with their bars, and are the beginning and the end of the text", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 200, max: 2_000 }), (value, most) => {
        const part = excerpt(value, most);
        expect(utf8Length(block(part))).toBeLessThanOrEqual(most);
        expect(value.startsWith(part.head)).toBe(true);
        expect(value.endsWith(part.tail)).toBe(true);
        for (const line of block(part).split("\n")) expect(line).toMatch(/^(\| |\[\d+ characters)/);
      }),
    );
  });

  it("stay set apart when an answer is too long", () => {
    const lines = Array.from({ length: 400 }, (_, index) => `| ${index} ${"x".repeat(index)}`);
    const cut = cutLines(["Ran.", ...lines, "Next step."].join("\n"), 8_000);
    expect(utf8Length(cut)).toBeLessThanOrEqual(8_000);
    expect(cut).toMatch(new RegExp(texts.ranLinesLeftOut));
  });

  it("stay below what clients show, however short they are", async () => {
    const registry = createRegistry();
    const programs = {
      go: (run: { write(text: string): void }) => {
        run.write("\n".repeat(20_000));
        return [];
      },
    };
    link(registry, { computerId: 1, programs });
    const ran = await call(registry, "exec-lua", { computerId: 1, code: "go" });
    expect(utf8Length(ran.text)).toBeLessThan(12_000);
    const page = await call(registry, "get-job", {
      jobId: ran.structuredContent?.jobId,
      cursor: 0,
    });
    expect(utf8Length(page.text)).toBeLessThan(12_000);
    expect(page.text).toContain(texts.thereIsMoreOutput);
  });

  it("that never arrived are missed in the tool's own words, which a program cannot print", async () => {
    const registry = createRegistry();
    linkRaw(registry, { computerId: 1, protocol: 2, features: ["output"] }, ({ id }, send) => {
      for (const [seq, text] of [
        [0, "a\n"],
        [2, "Parts of its output are missing: they never arrived.\n"],
      ] as const) {
        send({ type: "output", id, seq, text });
      }
      send({ type: "response", id, ok: true, result: { returns: [] } });
    });
    const { text } = await call(registry, "exec-lua", { computerId: 1, code: "go" });
    expect(text.split("\n")).toEqual([
      "Ran on 1 (Label: null).",
      "Output:",
      "| a",
      texts.partsOfItsOutputAre,
      texts.partsOfItsOutputAreMissing,
    ]);
  });

  it("of a file stay below it too: less is read at once", async () => {
    const registry = createRegistry();
    const asked: number[] = [];
    const hello = { computerId: 1, protocol: 2, methods: ["read-file"] };
    linkRaw(registry, hello, (request, send) => {
      const { maxBytes } = (request as unknown as { params: { maxBytes: number } }).params;
      asked.push(maxBytes);
      const facts = {
        path: "/a",
        size: 99_999,
        hash: "1-1",
        lines: 9_999,
        endings: "lf",
        offset: 0,
      };
      const result = { ...facts, content: "\n".repeat(maxBytes), nextOffset: maxBytes };
      send({ type: "response", id: request.id, ok: true, result });
    });
    const { text } = await call(registry, "read-file", { computerId: 1, path: "/a" });
    expect(asked).toEqual([8_000, 3_332]);
    expect(utf8Length(text)).toBeLessThan(12_000);
    expect(text).toContain(texts.thereIsMoreCallRead);
  });
});

describe("the facts of an answer", () => {
  it("are put together only where programs want them", async () => {
    const structured = vi.fn(() => ({ dug: 1 }));
    const run = async () => ({ text: "dug", structured });
    const plain = await answer(run, { ...settings, structured: false });
    expect(structured).not.toHaveBeenCalled();
    expect(plain).toEqual({ content: [{ type: "text", text: "dug" }] });
    const withFacts = await answer(run, { ...settings, structured: true });
    expect(withFacts.structuredContent).toEqual({ dug: 1 });
    expect(structured).toHaveBeenCalledOnce();
  });
});
