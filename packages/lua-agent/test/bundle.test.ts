import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleLua, readModulesFrom } from "../src/bundle.js";
import { programSha256, programText, programVersion } from "../src/index.js";
import { LuaComputer } from "./lua-computer.js";
import { startAgent } from "./start-agent.js";

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
    expect(programText.length).toBeLessThan(160_000);
    const parts = programText.split(/^(?=add\(")/m);
    const toLink = parts.filter((part) => !/\]=*\],true\)$/m.test(part)).join("");
    expect(toLink.length).toBeLessThan(80_000);
    expect(toLink).toContain('add("link.lua",');
    expect(toLink).not.toContain('add("setup.lua",');
    expect(programSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("loads what it needs to link, and the rest when it is first used", async () => {
    const files = {
      "/startup.lua":
        "local raw = load function _G.load(text, name, ...) " +
        "local file = fs.open('/loaded', 'a') file.writeLine(tostring(name)) file.close() " +
        "return raw(text, name, ...) end",
    };
    await using agent = await startAgent({ computer: { files } });
    const link = await agent.link();
    await agent.world.advance(5_000);
    const loaded = () => agent.computer.fs.read("/loaded");
    expect(loaded()).toContain("=mcp-computer/link.lua");
    const packed = programText.split(/^(?=add\(")/m).filter((part) => /\]=*\],true\)$/m.test(part));
    expect(packed.length).toBeGreaterThan(40);
    for (const part of packed) {
      const file = /^add\("([^"]+)"/.exec(part)?.[1];
      expect(loaded()).not.toContain(`=mcp-computer/${file}\n`);
    }
    expect((await link.request("watch-events", { watches: [] })).ok).toBe(true);
    expect(loaded()).toContain("=mcp-computer/events.lua");
  });

  it("contains every module and no placeholder", () => {
    for (const name of ["agent", "cli", "json", "link", "methods", "methods/lua", "scheduler"]) {
      expect(programText).toContain(`add("${name}.lua",[`);
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
    expect(text.indexOf('add("a.lua"')).toBeLessThan(text.indexOf('add("b.lua"'));
    expect(text.trimEnd().endsWith("local a=require(2)\nreturn a")).toBe(true);
    expect(bundle({ ...modules })).toBe(text);
  });

  it.each(["1.100.0", "1.113.1"])(
    "makes errors on CC:Tweaked %s name the file and line of the source",
    async (version) => {
      const text = bundle({
        main: '-- why\nlocal deep = require("app.deep.nil")\nreturn deep',
        "app.deep.nil": "-- why\n\nlocal missing = shell\n  and nil\nreturn missing.field",
      });
      const lua = await LuaComputer.boot(version);
      try {
        const code = `local env = setmetatable({ shell = {}, require = require }, { __index = _G })
        local _, problem = pcall(assert(load([===[${text}]===], "=main", "t", env)))
        return problem`;
        expect(await lua.run(code)).toMatch(/^mcp-computer\/deep\/nil\.lua:5: /);
      } finally {
        await lua.close();
      }
    },
  );

  it("keeps a module apart that ends like a long string", async () => {
    const text = bundle({
      main: 'return require("app.list")',
      "app.list": "local list = { 1 }\nreturn list[1]",
    });
    const lua = await LuaComputer.boot();
    try {
      const code = `return assert(load([=====[${text}]=====], "=main", "t", setmetatable({ require = require }, { __index = _G })))()`;
      expect(await lua.run(code)).toBe("1");
    } finally {
      await lua.close();
    }
  });

  it("unpacks every character that a module may have", async () => {
    const odd = "!&|@$;`?\\]]x ``? ?! end\nlocal function return ";
    const text = bundle({
      main: 'return require("app.odd")',
      "app.odd": `return ${JSON.stringify(odd)} .. [==[${odd}]==] -- !`,
    });
    const lua = await LuaComputer.boot("1.100.0");
    try {
      const code = `return assert(load([=====[${text}]=====], "=main", "t", setmetatable({ require = require }, { __index = _G })))()`;
      expect(await lua.run(code)).toBe(odd + odd);
    } finally {
      await lua.close();
    }
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
