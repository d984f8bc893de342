import { expect, it } from "vitest";
import { newWorld, run } from "./helpers.js";

async function lua(program: string, version = "1.113.1"): Promise<string[]> {
  return run(
    (await newWorld({ version })).computer(),
    `local J, U = textutils.serializeJSON, textutils.unserializeJSON ${program}`,
  );
}

it("should write tables by their keys, with holes as null and empty ones as objects", async () => {
  expect(
    await lua(`report(J({}), J(textutils.empty_json_array), J({ 1, 2, a = 3 }), J({ [2] = "a", [5] = "b" }))
      report(J({ [1.5] = 1 }), J({ [0] = 1 }), J({ [true] = 1, x = 2 }), J(textutils.json_null), J("a/b"))`),
  ).toEqual(['{}|[]|{"a":3}|[null,"a",null,null,"b"]', '[null]|{}|{"x":2}|null|"a/b"']);
});

it("should refuse repetitions, cycles and functions", async () => {
  expect(
    await lua(`local t = {}
      local c = {} c.c = c
      report(select(2, pcall(J, { t, t })))
      report(select(2, pcall(J, c)))
      report(select(2, pcall(J, { print })))
      report(select(2, pcall(J, nil)))
      report(J({ t, t }, { allow_repetitions = true }))`),
  ).toEqual([
    "Cannot serialize table with repeated entries",
    "Cannot serialize table with recursive entries",
    "Cannot serialize type function",
    expect.stringContaining("bad argument #1"),
    "[{},{}]",
  ]);
});

it("should write numbers that are none, and bytes as code points", async () => {
  expect(
    await lua(`report(J({ 0/0, 1/0, -1/0 }), J("\\0\\t\\"\\\\\\127\\195\\169"))
      report(J("\\195\\169\\240\\159\\152\\128", { unicode_strings = true }))
      report(pcall(J, "\\255", { unicode_strings = true }))`),
  ).toEqual([
    '[nan,inf,-inf]|"\\u0000\\t\\"\\\\\\u007F\\u00C3\\u00A9"',
    '"\\u00E9\\uD83D\\uDE00"',
    expect.stringContaining("invalid UTF-8 code"),
  ]);
});

it("should refuse a table of options before 1.106", async () => {
  expect(await lua("report(pcall(J, 1, {}))", "1.105.0")).toEqual([
    expect.stringContaining("bad argument #2"),
  ]);
  expect(await lua("report(pcall(J, 1, {}))", "1.106.0")).toEqual(["true|1"]);
});

it("should lose nulls, share the empty array and halve surrogate pairs when reading", async () => {
  expect(
    await lua(`local t = U('{"a":null,"b":[1,null,3],"c":[]}')
      report(t.a, t.b[1], t.b[2], t.b[3], t.c == textutils.empty_json_array)
      report(pcall(function() t.c[1] = 1 end))
      report(U("[]", { parse_empty_array = false }) ~= textutils.empty_json_array)
      report(U('{"a":null}', { parse_null = true }).a == textutils.json_null)
      report(#U('"\\\\uD83D\\\\uDE00"'), #U('"\\\\u00E9"'), U('"\\\\u0041\\\\n"'))
      report(select("#", U("null")), U("null"))`),
  ).toEqual([
    "nil|1|nil|3|true",
    expect.stringMatching(/^false\|.*attempt to mutate textutils.empty_json_array$/),
    "true",
    "true",
    "6|2|A",
    "",
    "1|nil",
  ]);
});

it("should report malformed text with its position", async () => {
  expect(
    await lua(`report(U("{")) report(U('{"a":tru}')) report(U("1 2")) report(U('"\\1"'))`),
  ).toEqual([
    expect.stringMatching(/^nil\|Malformed JSON at position 2: /),
    expect.stringMatching(/^nil\|Malformed JSON at position 6: /),
    expect.stringMatching(/^nil\|Malformed JSON at position 3: /),
    expect.stringMatching(/^nil\|Malformed JSON at position 2: /),
  ]);
});

it("should parse deep nesting and write what textutils.unserialize reads", async () => {
  expect(
    await lua(`report(type(U(("["):rep(3000) .. ("]"):rep(3000))))
      local s = textutils.serialize({ 1, "two", three = { true, [10] = 1.5 }, ["end"] = 4 })
      local t = textutils.unserialize(s)
      report(t[1], t[2], t.three[1], t.three[10], t["end"])
      report(textutils.serialize({}), pcall(textutils.serialize, print))
      report(textutils.serialize({ a = 1 }, { compact = true }))`),
  ).toEqual(["table", "1|two|true|1.5|4", "{}|false|Cannot serialize type function", "{a=1,}"]);
});
