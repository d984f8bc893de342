import { describe, expect, it } from "vitest";
import { shrinkLua } from "../src/shrink-lua.js";

describe("shrinkLua", () => {
  it.each([
    ["a comment", "local one = 1 -- one\nlocal two", "local a=1\nlocal b"],
    ["a long comment", "local one --[[ x\ny ]] = 1", "local a\n=1"],
    ["a long comment with level", "f()--[==[ ]] ]==]g()", "f()g()"],
    ["indentation and blank lines", "do\n\n    x()\n\tend", "do\n\nx()\nend"],
    ["dashes in a string", 'print("-- no") --yes', 'print("-- no")'],
    ["quotes in a string", `print('it\\'s -- "x"')  --y`, `print('it\\'s -- "x"')`],
    ["a long string", "x = [[\n  -- kept\n\n]] -- gone", "x=[[\n  -- kept\n\n]]"],
    ["an index that is no long bracket", "x = t[ [[k]] ]", "x=t[ [[k]]]"],
    ["subtraction", "x = y - -z", "x=y- -z"],
    ["numbers and dots", "x = 1 .. 2", "x=1 .. 2"],
    ["fields and keys", "local t = { t = 1 }\nt.t = t", "local a={t=1}\na.t=a"],
    ["a value before its name is visible", "local x = x\nlocal x = x", "local a=x\nlocal b=a"],
    ["recursion", "local function f() return f() end", "local function a()return a()end"],
    ["siblings", "do local p = 1 end\ndo local q = 2 end", "do local a=1 end\ndo local a=2 end"],
    [
      "until, which sees the block",
      "repeat local p = f() until p\nprint(p)",
      "repeat local a=f()until a\nprint(p)",
    ],
    [
      "loops",
      "for i = n, m do for k, v in pairs(i) do g(k, v) end end",
      "for a=n,m do for b,c in pairs(a)do g(b,c)end end",
    ],
    [
      "a method's own self",
      "local self = {}\nfunction self.x:m(q) return self, q end",
      "local a={}\nfunction a.x:m(b)return self,b end",
    ],
    ["a global with a short name", "local one = a + b", "local c=a+b"],
    ["goto", "::top:: local x = 1 goto top", "::top::local a=1 goto top"],
  ])("handles %s", (_name, source, shrunk) => {
    expect(shrinkLua(source)).toBe(shrunk);
  });

  it("gives globals to a chunk as its arguments, on the first line", () => {
    const source = '-- why\nlocal x = require("app.x")\nreturn x';
    const replaceString = (literal: string) => (literal === '"app.x"' ? "7" : undefined);
    expect(shrinkLua(source, { parameters: ["require"], replaceString })).toBe(
      "local a=...\nlocal b=a(7)\nreturn b",
    );
  });
});
