import { ChunkJoiner, ChunkSchema, splitFrame } from "@ccbridge/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { LuaComputer } from "./lua-computer.js";

describe.each(["1.100.0", "1.113.1"])("data modules on CC:Tweaked %s", (version) => {
  let lua: LuaComputer;
  beforeAll(async () => {
    lua = await LuaComputer.boot(version);
  });
  afterAll(() => lua.close());

  describe("json.encode", () => {
    it("writes UTF-8 as escapes, with surrogate pairs above U+FFFF", async () => {
      const text = await lua.run(
        String.raw`return json.encode({ s = "h\195\169 \226\130\172 \240\159\152\128" })`,
      );
      expect(text).toBe(String.raw`{"s":"h\u00e9 \u20ac \ud83d\ude00"}`);
      expect(JSON.parse(text)).toEqual({ s: "hé € 😀" });
    });

    it("escapes quotes, backslashes and every control character", async () => {
      const value = await lua.json<string[]>(
        `local all = {} for code = 0, 127 do all[#all + 1] = string.char(code) end
         return json.encode({ table.concat(all) })`,
      );
      expect(value).toEqual([String.fromCharCode(...Array.from({ length: 128 }, (_, i) => i))]);
    });

    it.each([
      ["a lone continuation byte", "\\128"],
      ["a cut sequence", "\\226\\130"],
      ["an overlong form", "\\192\\128"],
      ["an overlong three-byte form", "\\224\\128\\128"],
      ["a surrogate", "\\237\\160\\128"],
      ["a code above U+10FFFF", "\\244\\144\\128\\128"],
      ["Latin-1", "caf\\233"],
    ])("writes %s as base64", async (_name, literal) => {
      const encoded = await lua.json<string[]>(`return json.encode({ "${literal}" })`);
      const bytes = literal.replace(/\\(\d+)/g, (_m, code) => String.fromCharCode(Number(code)));
      expect(encoded).toEqual([`base64:${Buffer.from(bytes, "latin1").toString("base64")}`]);
    });

    it("writes long texts in pieces that end between characters", async () => {
      for (const before of [0, 1, 2, 3]) {
        const text = await lua.json<string>(
          String.raw`return json.encode(string.rep("a", ${before}) .. string.rep("\240\159\152\128\n", 3000))`,
        );
        expect(text === "a".repeat(before) + "😀\n".repeat(3000)).toBe(true);
      }
    });

    it("distinguishes empty lists from empty tables and drops nil", async () => {
      expect(await lua.run("return json.encode({ a = json.array(), b = {}, c = nil })")).toBe(
        '{"a":[],"b":{}}',
      );
    });

    it("writes numbers that JSON has exactly, and the others as strings", async () => {
      const numbers = await lua.json(
        `return json.encode({ 0, -1, 1.5, 0.1, 1 / 3, 2 ^ 53, -2 ^ 53, 1e-7, 2 ^ 60, -2 ^ 63,
           1 / 0, -1 / 0, 0 / 0, 1700000000123 })`,
      );
      expect(numbers).toEqual([
        ...[0, -1, 1.5, 0.1, 1 / 3, 2 ** 53, -(2 ** 53), 1e-7],
        ...["1152921504606846976", "-9223372036854775808", "inf", "-inf", "nan", 1700000000123],
      ]);
    });
  });

  describe("base64.decode", () => {
    it.each([0, 1, 2, 3, 4, 255, 256, 5_000])(
      "reads what encode writes, %i bytes",
      async (size) => {
        const result = await lua.run(
          `local base64 = require("mcp.base64")
         local bytes = {}
         for i = 1, ${size} do bytes[i] = string.char(i * 7 % 256) end
         local text = table.concat(bytes)
         return tostring(base64.decode(base64.encode(text)) == text)`,
        );
        expect(result).toBe("true");
      },
    );

    it.each(["abc", "====", "ab=c", "a===", "ab c", "abcd\\n"])("refuses %s", async (text) => {
      const code = `return tostring(require("mcp.base64").decode("${text}"))`;
      expect(await lua.run(code)).toBe("nil");
    });
  });

  describe("json.decode", () => {
    it("reads what bridges write", async () => {
      const text = JSON.stringify({
        list: [1, -2.5, 3e2, true, false],
        empty: [],
        text: 'q" \\ / \b\f\n\r\t é 😀',
      });
      lua.computer.fs.write("/in.json", text);
      const back = await lua.json(
        `local file = fs.open("/in.json", "rb") local text = file.readAll() file.close()
         local value = assert(json.decode(text))
         value.empty = json.array(value.empty)
         return json.encode(value)`,
      );
      expect(back).toEqual(JSON.parse(text));
    });

    it("joins escaped surrogate pairs, which textutils does not", async () => {
      expect(await lua.run(String.raw`return json.decode('"\\ud83d\\ude00"')`)).toBe(
        Buffer.from("😀").toString("latin1"),
      );
    });

    it("lets null vanish", async () => {
      expect(await lua.run(`return json.encode(json.decode('{"a":null,"b":1}'))`)).toBe('{"b":1}');
    });

    it.each([
      ...['{"a":1', "[1,]", '{"a" 1}', "nul", '"open', String.raw`"\\x"`, String.raw`"\\u12"`],
      ...["", "1 2", "0x10", "[1 2]", "{a:1}", "-", "nan", `${"[".repeat(200)}`],
    ])("refuses %s with a reason", async (text) => {
      const result = await lua.run(
        `local value, problem = json.decode('${text}') return tostring(value) .. "|" .. problem`,
      );
      expect(result).toMatch(/^nil\|bad JSON at byte \d+: /);
    });
  });

  describe("values.describe", () => {
    const describeValues = (expression: string) =>
      lua.json(
        `local values = require("mcp.values")
         return json.encode(values.describe(table.pack(${expression})))`,
      );

    it("describes each kind as the protocol says", async () => {
      expect(
        await describeValues(
          String.raw`nil, true, 2, 0/0, 1/0, -1/0, 2^60, "hi", "\255", {1, 2}, {a = 1}, {[3] = 1}, {}`,
        ),
      ).toEqual([
        { type: "nil" },
        { type: "boolean", value: true },
        { type: "number", value: 2 },
        { type: "number", value: "nan" },
        { type: "number", value: "inf" },
        { type: "number", value: "-inf" },
        { type: "number", value: "1152921504606846976" },
        { type: "string", value: "hi" },
        { type: "string", value: "/w==", encoding: "base64" },
        { type: "table", value: [1, 2] },
        { type: "table", value: { a: 1 } },
        { type: "table", value: { "3": 1 } },
        { type: "table", value: {} },
      ]);
    });

    it("keeps trailing nils", async () => {
      expect(await describeValues("nil, nil")).toEqual([{ type: "nil" }, { type: "nil" }]);
    });

    it("names functions and threads", async () => {
      expect(await describeValues("print, coroutine.create(print)")).toEqual([
        { type: "function", value: expect.stringMatching(/^function: ?\w*/) },
        { type: "thread", value: expect.stringMatching(/^thread: ?\w*/) },
      ]);
    });

    it("writes what JSON lacks as text inside tables", async () => {
      expect(
        await describeValues(String.raw`{ print, coroutine.create(print), 0/0, 1/0, "\255" }`),
      ).toEqual([
        { type: "table", value: ["<function>", "<thread>", "nan", "inf", "base64:/w=="] },
      ]);
    });

    it("knows the game's own text inside tables, and leaves bytes bytes", async () => {
      expect(
        await describeValues(
          String.raw`{ "Caf\233", "\201p\233e", "UTF-8 \195\169", "\233", "a\128", "a\0\233", ["na\239ve"] = 1 }`,
        ),
      ).toEqual([
        {
          type: "table",
          value: {
            "1": "Café",
            "2": "Épée",
            "3": "UTF-8 é",
            "4": "base64:6Q==",
            "5": "base64:YYA=",
            "6": "base64:YQDp",
            naïve: 1,
          },
        },
      ]);
    });

    it("marks cycles, but not tables that merely occur twice", async () => {
      expect(
        await describeValues(
          "(function() local t, s = {}, { 1 } t.a, t.b, t.me = s, s, t return t end)()",
        ),
      ).toEqual([{ type: "table", value: { a: [1], b: [1], me: "<cycle>" } }]);
    });

    it("loses no entry whose key has the text of another", async () => {
      expect(
        await describeValues(
          '{ [true] = "b", ["true"] = "s" }, { ["[1]"] = 1, [1] = 2, ["1"] = 3 }',
        ),
      ).toEqual([
        { type: "table", value: { true: "s", "true #2": "b" } },
        { type: "table", value: { "1": 3, "[1]": 2, "[1] #2": 1 } },
      ]);
    });

    it("keeps number and text keys apart and lists with holes as objects", async () => {
      expect(await describeValues('{ [1] = "n", ["1"] = "s" }, { 1, nil, 3 }')).toEqual([
        { type: "table", value: { "1": "s", "[1]": "n" } },
        { type: "table", value: { "1": 1, "3": 3 } },
      ]);
    });

    it("ignores metatables, so no foreign code runs", async () => {
      expect(
        await describeValues(
          'setmetatable({ 1 }, { __pairs = function() error("ran") end, __index = function() error("ran") end })',
        ),
      ).toEqual([{ type: "table", value: [1] }]);
    });

    it("cuts depth, entries and bytes, and marks the cut", async () => {
      const cut = await lua.json<{ value: unknown; truncated?: boolean }[]>(
        `local values = require("mcp.values")
         local deep = {} local at = deep
         for _ = 1, 40 do at.d = {} at = at.d end
         local wide = {} for i = 1, 30000 do wide[i] = i end
         local function one(value) return values.describe({ n = 1, value })[1] end
         return json.encode({ one(deep), one(wide), one(string.rep("x", 2000000)) })`,
      );
      expect(cut.map((entry) => entry.truncated)).toEqual([true, true, true]);
      expect(JSON.stringify(cut[0]?.value)).toContain("<depth>");
      expect(cut[1]?.value).toHaveLength(10_000);
      expect(cut[2]?.value).toHaveLength(1024 * 1024);
    });

    it("does not cut inside a character", async () => {
      const [value] = await lua.json<{ value: string; encoding?: string }[]>(
        String.raw`local values = require("mcp.values")
         return json.encode(values.describe({ n = 1, "x" .. string.rep("\226\130\172", 400000) }))`,
      );
      expect(value?.encoding).toBeUndefined();
      expect(value?.value.endsWith("€")).toBe(true);
    });
  });

  describe("chunks", () => {
    it("cuts what the protocol package joins", async () => {
      const messages = await lua.json<unknown[]>(
        `local chunks = require("mcp.chunks")
         local text = string.rep('say "hi" \\\\', 3000)
         return "[" .. table.concat(chunks.split(text, 2048, "1-1"), ",") .. "]"`,
      );
      expect(messages.length).toBeGreaterThan(10);
      const joiner = new ChunkJoiner({ maxBytes: 1e6 });
      let text: string | undefined;
      for (const message of messages) {
        expect(JSON.stringify(message).length).toBeLessThanOrEqual(2048);
        const joined = joiner.push(ChunkSchema.parse(message));
        if (joined.ok) text = joined.text;
      }
      expect(text).toBe('say "hi" \\'.repeat(3000));
    });

    it("joins what the protocol package cuts", async () => {
      const text = JSON.stringify({ code: 'print("é😀")\n'.repeat(400) });
      lua.computer.fs.write("/in.txt", splitFrame(text, 2048, "t").join("\n"));
      const back = await lua.run(
        `local joiner = require("mcp.chunks").new_joiner(1000000)
         local file = fs.open("/in.txt", "rb") local all = file.readAll() file.close()
         for line in string.gmatch(all, "[^\\n]+") do
           local text = joiner.push(assert(json.decode(line)))
           if text then return text end
         end`,
      );
      expect(Buffer.from(back, "latin1").toString() === text).toBe(true);
    });

    it("holds no more than its bounds, whatever arrives", async () => {
      const problems = await lua.json(
        `local joiner = require("mcp.chunks").new_joiner(100)
         local said = {}
         local function push(transfer, index, count, data)
           local _, problem = joiner.push({ transfer = transfer, index = index, count = count, data = data })
           said[#said + 1] = problem or "taken"
         end
         push("a", 1, 2, "x")
         push("b", 0, 2, string.rep("x", 101))
         push("c", 0, 3, "x")
         push("c", 2, 3, "x")
         push("c", 1, 3, "x")
         push(nil, 0, 1, "x")
         push("d", 0, 1, 5)
         for i = 1, 9 do push("t" .. i, 0, 2, "x") end
         push("t1", 1, 2, "x")
         return json.encode(said)`,
      );
      expect(problems).toEqual([
        texts.aTransferThatWas,
        "a transfer above 100 bytes",
        "taken",
        texts.aChunkOutOf,
        texts.aTransferThatWas,
        "not a chunk",
        "not a chunk",
        ...Array.from({ length: 9 }, () => "taken"),
        texts.aTransferThatWas,
      ]);
    });
  });
});
