import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleLua, readModulesFrom } from "../src/bundle.js";
import { programSha256, programText, programVersion } from "../src/index.js";
import { stripLua } from "../src/strip-lua.js";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

function bundle(modules: Record<string, string>): string {
  return bundleLua({
    entry: "main",
    namespace: "app",
    version: "1.2.3",
    read: (name) => {
      const source = modules[name];
      if (source === undefined) throw new Error(`no module ${name}`);
      return source;
    },
  });
}

describe("the bundled program", () => {
  it("is ASCII, names its version first and leaves most of a computer's disk free", () => {
    expect(programVersion).toBe(manifest.version);
    expect(programText.split("\n", 1)[0]).toContain(`-- mcp-computer ${programVersion} `);
    expect(programText).toMatch(/^[\n\x20-\x7e]*$/);
    expect(programText.length).toBeLessThan(265_000);
    expect(programSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("contains every module and no placeholder", () => {
    for (const name of ["agent", "cli", "json", "link", "methods", "methods.lua", "scheduler"]) {
      expect(programText).toContain(`modules["mcp.${name}"] = function()`);
    }
    expect(programText).not.toContain("0.0.0-dev");
  });
});

describe("bundleLua", () => {
  it("follows requires, sorts modules and is the same every time", () => {
    const modules = {
      main: 'local b = require("app.b")\nreturn b',
      "app.b": 'return require("app.a")',
      "app.a": "return 1",
    };
    const text = bundle(modules);
    expect(text.indexOf('modules["app.a"]')).toBeLessThan(text.indexOf('modules["app.b"]'));
    expect(text.trimEnd().endsWith("return b")).toBe(true);
    expect(bundle({ ...modules })).toBe(text);
  });

  it("refuses text that old computers garble", () => {
    expect(() => bundle({ main: 'return "é"' })).toThrow("not ASCII");
  });

  it("is the same from a checkout with the line ends of Windows", () => {
    const folder = mkdtempSync(join(tmpdir(), "ccbridge-lua-"));
    try {
      const text = (lineEnd: string) => {
        writeFileSync(join(folder, "main.lua"), ["local a = 1", "return a", ""].join(lineEnd));
        const read = readModulesFrom(folder);
        return bundleLua({ entry: "main", namespace: "app", version: "1.2.3", read });
      };
      expect(text("\r\n")).toBe(text("\n"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("fails on a module that is not there", () => {
    expect(() => bundle({ main: 'require("app.gone")' })).toThrow("no module app.gone");
  });
});

describe("stripLua", () => {
  it.each([
    ["a comment", "local a = 1 -- one\nlocal b", "local a = 1\nlocal b"],
    ["a long comment", "local a --[[ x\ny ]] = 1", "local a\n= 1"],
    ["a long comment with level", "a()--[==[ ]] ]==]b()", "a() b()"],
    ["indentation and blank lines", "do\n\n    x()\n\tend", "do\nx()\nend"],
    ["dashes in a string", 'print("-- no") --yes', 'print("-- no")'],
    ["quotes in a string", `print('it\\'s -- "x"')  --y`, `print('it\\'s -- "x"')`],
    ["a long string", "x = [[\n  -- kept\n\n]] -- gone", "x = [[\n  -- kept\n\n]]"],
    ["a long string with level", "x = [=[ ]] -- kept ]=]", "x = [=[ ]] -- kept ]=]"],
    ["an index that is no long bracket", "x = t[ t[1] ]", "x = t[ t[1] ]"],
    ["subtraction", "x = a - -b", "x = a - -b"],
  ])("handles %s", (_name, source, stripped) => {
    expect(stripLua(source)).toBe(stripped);
  });
});
