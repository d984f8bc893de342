import type { LuaValue } from "@ccbridge/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { quoted } from "../../src/format/set-apart.js";
import { call, createRegistry, link, linkRaw } from "../harness.js";

async function run(values: LuaValue[]): Promise<string> {
  const registry = createRegistry();
  link(registry, { computerId: 1, protocol: 2, programs: { go: () => values } });
  return (await call(registry, "exec-lua", { computerId: 1, code: "go" })).text;
}

const string = (value: string): LuaValue => ({ type: "string", value });
const items = Array.from({ length: 900 }, (_, index) => `item ${index + 1}`);

describe("values that are too long for an answer", () => {
  it("of exec-lua say at which byte each text continues", async () => {
    const umlauts = await run([string("ä".repeat(9_000)), string("y".repeat(9_000))]);
    const [, first = "", second = ""] = /Returned: "(ä+)"\.\.\. \(cut\), "(y+)"\.\.\./.exec(
      umlauts,
    ) ?? ["", "", ""];
    expect(umlauts).toContain(fill(texts.returnedValueWasCutReturn, 2 * first.length + 1));
    expect(umlauts).toContain(fill(texts.returnedValueWasCutReturnValue, second.length + 1));
  });

  it("of exec-lua continue exactly there, whatever is in the text", async () => {
    const alphabet = fc.constantFrom("a", "é", "€", "😀", "\r\n", "\r", "\u001b", "\u200b", '"');
    const long = fc.string({ unit: alphabet, minLength: 4_000, maxLength: 6_000 });
    await fc.assert(
      fc.asyncProperty(long, async (text) => {
        const shown = await run([string(text)]);
        const from = Number(/value:sub\((\d+)\)/.exec(shown)?.[1]);
        const bytes = Buffer.from(text);
        const head = bytes.subarray(0, from - 1).toString();
        expect(head + bytes.subarray(from - 1).toString()).toBe(text);
        expect(shown).toContain(`Returned: ${quoted(head, Number.POSITIVE_INFINITY)}... (cut)\n`);
      }),
      { numRuns: 20 },
    );
  });

  it("of exec-lua are counted when there are too many", async () => {
    const many = await run(Array.from({ length: 130 }, (_, value) => ({ type: "number", value })));
    expect(many).toContain("98, 99\n");
    expect(many).toContain(texts.moreReturnedValuesAreNot);
  });

  it("of exec-lua show the beginning of a table, and say how to get the rest", async () => {
    const text = await run([{ type: "table", value: items }]);
    expect(text).toMatch(/^Returned: \{ "item 1", "item 2", .*\.\.\. \} \(cut\)$/m);
    expect(text).toContain(texts.theReturnedValueWasCutReturnPart);
  });

  it("of call-peripheral show the beginning of a table, and say how to get the rest", async () => {
    const registry = createRegistry();
    const hello = { computerId: 1, protocol: 2, methods: ["call-peripheral"] };
    const returns = [{ type: "table", value: [...items, ...items] }];
    linkRaw(registry, hello, ({ id }, send) =>
      send({ type: "response", id, ok: true, result: { results: [{ ok: true, returns }] } }),
    );
    const calls = [{ name: "left", method: "list" }];
    const { text } = await call(registry, "call-peripheral", { computerId: 1, calls });
    expect(text).toMatch(/^left\.list: \{ "item 1", "item 2", .*\.\.\. \} \(cut\)$/m);
    expect(text).toContain("peripheral.call(name, method)");
  });

  it("of events show the beginning of a table", async () => {
    const registry = createRegistry();
    const end = linkRaw(registry, { computerId: 1, protocol: 2 });
    end.send(JSON.stringify({ type: "event", seq: 0, time: 1, name: "scan", args: [items] }));
    const { text } = await call(registry, "get-events", { computerId: 1 });
    expect(text).toMatch(/ scan \{ "item 1", "item 2", .*\.\.\. \} \[cut\]$/m);
  });
});
