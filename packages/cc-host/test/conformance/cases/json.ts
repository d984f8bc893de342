import type { ConformanceCase } from "../case.js";

const JSON_NAMES = "local J, U = textutils.serializeJSON, textutils.unserializeJSON ";

export const json: readonly ConformanceCase[] = [
  {
    name: "writes tables by their keys, with holes as null and empty ones as objects",
    lua: `${JSON_NAMES}
      report(J({}), J(textutils.empty_json_array), J({ 1, 2, a = 3 }), J({ [2] = "a", [5] = "b" }))
      report(J({ [1.5] = 1 }), J({ [0] = 1 }), J({ [true] = 1, x = 2 }), J(textutils.json_null), J("a/b"))`,
    lines: ['{}|[]|{"a":3}|[null,"a",null,null,"b"]', '[null]|{}|{"x":2}|null|"a/b"'],
  },
  {
    name: "refuses repetitions, cycles and functions",
    lua: `${JSON_NAMES}
      local t = {}
      local c = {} c.c = c
      report(select(2, pcall(J, { t, t })))
      report(select(2, pcall(J, c)))
      report(select(2, pcall(J, { print })))
      report(select(2, pcall(J, nil)))`,
    lines: ({ since }) => [
      since("1.109.0")
        ? "Cannot serialize table with repeated entries"
        : /^Cannot serialize table with re(peated|cursive) entries$/,
      "Cannot serialize table with recursive entries",
      "Cannot serialize type function",
      /bad argument #1/,
    ],
  },
  {
    name: "supports options by version",
    lua: `${JSON_NAMES}
      local t = {}
      report(select(2, pcall(J, { t, t }, { allow_repetitions = true })))
      report(select(2, pcall(J, "\\195\\169\\240\\159\\152\\128", { unicode_strings = true })))
      report(select(2, pcall(J, "\\255", { unicode_strings = true })))`,
    lines: ({ since }) =>
      since("1.109.0")
        ? ["[{},{}]", '"\\u00E9\\uD83D\\uDE00"', /invalid UTF-8 code/]
        : [/bad argument #2/, /bad argument #2/, /bad argument #2/],
  },
  {
    name: "writes numbers that are none, and bytes as code points",
    lua: `${JSON_NAMES} report(J({ 0/0, 1/0, -1/0 }), J("\\0\\t\\"\\\\\\127\\195\\169"))`,
    lines: ({ emulator }) => [
      `[${emulator ? "-nan" : "nan"},inf,-inf]|"\\u0000\\t\\"\\\\\\u007F\\u00C3\\u00A9"`,
    ],
  },
  {
    name: "loses nulls, shares the empty array and halves surrogate pairs when reading",
    lua: `${JSON_NAMES}
      local t = U('{"a":null,"b":[1,null,3],"c":[]}')
      report(t.a, t.b[1], t.b[2], t.b[3], t.c == textutils.empty_json_array)
      report(pcall(function() t.c[1] = 1 end))
      report(U("[]", { parse_empty_array = false }) ~= textutils.empty_json_array)
      report(U('{"a":null}', { parse_null = true }).a == textutils.json_null)
      report(#U('"\\\\uD83D\\\\uDE00"'), #U('"\\\\u00E9"'), (U('"\\\\u0041"')))
      report(select("#", U("null")), U("null"))`,
    lines: [
      "nil|1|nil|3|true",
      /^false\|.*attempt to mutate textutils.empty_json_array$/,
      "true",
      "true",
      "6|2|A",
      "1|nil",
    ],
  },
  {
    name: "reports malformed text with its position",
    lua: `${JSON_NAMES} report(U("{")) report(U('{"a":tru}')) report(U("1 2")) report(U('"\\1"'))`,
    lines: [
      /^nil\|Malformed JSON at position 2: /,
      /^nil\|Malformed JSON at position 6: /,
      /^nil\|Malformed JSON at position 3: /,
      /^nil\|Malformed JSON at position 3: Unescaped whitespace/,
    ],
  },
  {
    name: "parses deep nesting and writes what textutils.unserialize reads",
    lua: `${JSON_NAMES}
      report(type(U(("["):rep(3000) .. ("]"):rep(3000))))
      local s = textutils.serialize({ 1, "two", three = { true, [10] = 1.5 }, ["end"] = 4 })
      local t = textutils.unserialize(s)
      report(t[1], t[2], t.three[1], t.three[10], t["end"])
      report(textutils.serialize({}), pcall(textutils.serialize, print))
      report(textutils.serialize({ a = 1 }, { compact = true }))`,
    lines: ["table", "1|two|true|1.5|4", "{}|false|Cannot serialize type function", "{a=1,}"],
  },
];
