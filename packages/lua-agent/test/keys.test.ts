import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import type { Link } from "./scripted-bridge.js";
import { type RunningAgent, startAgent } from "./start-agent.js";

const KEYS = "/.mcp-computer.secret";
const TOKEN = "the-link-token-of-this-computer";
const SECRET = "9aQb-the-secret-from-pairing";
const ID = "5ca1ab1e0000000000000001";
const settingsWith = (entries: Record<string, string>) =>
  `{ ${Object.entries(entries)
    .map(([name, value]) => `["${name}"] = "${value}"`)
    .join(", ")} }`;

function earlier(more: Parameters<typeof startAgent>[0] = {}) {
  return startAgent({
    command: (url) =>
      `set mcp_computer.url ${url}\nset mcp_computer.secret "${SECRET} ${url}"\nmcp-computer\n`,
    ...more,
    computer: {
      ...more.computer,
      files: {
        "/.settings": settingsWith({ "mcp_computer.token": TOKEN, "my.note": "no" }),
        "/.mcp-computer.id": ID,
        ...more.computer?.files,
      },
    },
  });
}

describe("the keys of a computer", () => {
  it("move from the settings and the old file to a separate file, once", async () => {
    await using agent = await earlier();
    const { hello } = await agent.link();
    expect(hello).toMatchObject({ token: TOKEN, secret: SECRET, instance: ID });
    await agent.shows(
      `mcp_computer.token and mcp_computer.secret moved to ${KEYS}, which no tool reads.`,
    );
    const { fs } = agent.computer;
    expect(fs.read("/.settings")).not.toMatch(new RegExp(`${TOKEN}|${SECRET}|token|secret`));
    expect(fs.read("/.settings")).toContain("my.note");
    expect(fs.exists("/.mcp-computer.id")).toBe(false);
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("clear\nmcp-computer\n");
    expect((await agent.link(2)).hello).toMatchObject({
      token: TOKEN,
      secret: SECRET,
      instance: ID,
    });
    await agent.shows("linked as");
    expect(agent.computer.screen.text()).not.toContain("moved");
  });

  it("are taken from what the player types later on, and forgotten with an empty token", async () => {
    await using agent = await earlier();
    await agent.link();
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("set mcp_computer.token another-token\nmcp-computer\n");
    expect((await agent.link(2)).hello).toMatchObject({ token: "another-token", secret: SECRET });
    expect(agent.computer.fs.read("/.settings")).not.toContain("another-token");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type('set mcp_computer.token ""\nmcp-computer\n');
    expect((await agent.link(3)).hello.token).toBeUndefined();
  });

  it("include the token in an address", async () => {
    await using agent = await startAgent({
      command: (url) => `mcp-computer ${url}/?token=${TOKEN}\n`,
    });
    await agent.link();
    await agent.shows("linked as");
    expect(agent.computer.fs.read("/.settings")).toContain(`${agent.bridge.url}/"`);
    expect(agent.computer.fs.read("/.settings")).not.toContain(TOKEN);
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    await agent.link(2);
    const tokens = agent.bridge.urls.map((url) => new URL(url, "ws://x").searchParams.get("token"));
    expect(tokens).toEqual([TOKEN, TOKEN]);
  });

  it("stay where they are while the disk is full, and are in one place", async () => {
    await using agent = await earlier({
      command: (url) => `set mcp_computer.url ${url}\nfill\nmcp-computer\n`,
      computer: {
        files: {
          "/fill.lua": `local file = fs.open("/filler", "w")
            file.write(("x"):rep(fs.getFreeSpace("/") + 100)) file.close()`,
        },
      },
    });
    expect((await agent.link()).hello).toMatchObject({ token: TOKEN, instance: ID });
    await agent.shows(`Could not write ${KEYS}: is the disk full?`);
    const { fs } = agent.computer;
    expect(fs.read("/.settings")).toContain(TOKEN);
    expect(fs.list("/").filter((name) => name.startsWith(".mcp-computer"))).toEqual([
      ".mcp-computer.id",
    ]);
    const link = await agent.link();
    expect(await link.request("read-file", { path: "/.settings" })).toMatchObject({
      ok: false,
      error: expect.stringContaining(texts.noToolReadsOr),
    });
    fs.delete("/filler");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    expect((await agent.link(2)).hello).toMatchObject({ token: TOKEN, instance: ID });
    expect(fs.read("/.settings")).not.toContain(TOKEN);
    expect(fs.exists("/.mcp-computer.id")).toBe(false);
  });

  const steps = ["open", "write", "delete", "move", "save"] as const;
  it.each(steps)("survive a computer that stops at the step %s", async (step) => {
    const off = `local own = function(path) return tostring(path):find("mcp%-computer%.") or tostring(path):find("settings") end
      local open, delete, move = fs.open, fs.delete, fs.move
      local function stop()
        open("/stopped", "w").close()
        while true do coroutine.yield("never") end
      end
      local step = "${step}"
      fs.open = function(path, mode)
        local writes = own(path) and mode:find("w")
        if writes and (step == "open" or step == "save" and path:find("settings")) then stop() end
        local file, problem = open(path, mode)
        if writes and step == "write" then
          local write = file.write
          file.write = function(text) write(text:sub(1, #text / 2)) stop() end
        end
        return file, problem
      end
      fs.delete = function(path) if own(path) and step == "delete" then stop() end return delete(path) end
      fs.move = function(from, to) if own(from) and step == "move" then stop() end return move(from, to) end`;
    await using agent = await earlier({
      command: (url) => `set mcp_computer.url ${url}\noff\nmcp-computer\n`,
      computer: { files: { "/off.lua": off } },
    });
    await agent.computer.until(() => agent.computer.fs.exists("/stopped"));
    agent.computer.unload();
    agent.computer.load();
    await agent.world.advance(100);
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    expect((await agent.link()).hello).toMatchObject({ token: TOKEN, instance: ID });
    const { fs } = agent.computer;
    expect(fs.read("/.settings")).not.toContain(TOKEN);
    expect(fs.read(KEYS)).toContain(TOKEN);
    expect(fs.list("/").filter((name) => name.startsWith(".mcp-computer"))).toEqual([
      KEYS.slice(1),
    ]);
  });
});

it("are out of reach of every module that touches files for a bridge", () => {
  const root = fileURLToPath(new URL("../../../lua/mcp", import.meta.url));
  const exempt = ["files/guard.lua", "methods/about.lua"];
  const modules = ["files", "methods"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((name) => /\bfs\.|\bio\./.test(readFileSync(join(root, name), "utf8")));
  expect(modules).toContain("files/transfer.lua");
  for (const name of modules.filter((each) => !exempt.includes(each))) {
    const text = readFileSync(join(root, name), "utf8");
    expect(text, name).toContain('local fs = require("mcp.files.guard")');
    expect(text, name).not.toMatch(/\bio\.|_G\.fs|loadfile|dofile/);
  }
});

describe("no tool", () => {
  const files = [KEYS, `${KEYS}.new`, "/.mcp-computer.id", "/disk/.mcp-computer.secret"];
  let agent: RunningAgent;
  let link: Link;

  beforeAll(async () => {
    agent = await earlier({ computer: { files: { "/notes.txt": "hello", "/box/a.txt": "a" } } });
    link = await agent.link();
    await agent.shows("linked as");
    const keys = agent.computer.fs.read(KEYS);
    for (const path of files.slice(1)) agent.computer.fs.write(path, keys);
    agent.computer.fs.write("/copy.txt", keys);
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  const noise = fc.constantFrom("", "/", "//", "./", "box/../", ".../", " /", "\\", "a/b/../../");
  const spelled = fc
    .tuple(fc.constantFrom(...files), fc.array(noise, { maxLength: 3 }), fc.array(fc.boolean()))
    .chain(([path, before, flips]) => {
      const cased = [...path.slice(1)]
        .map((letter, index) => (flips[index] ? letter.toUpperCase() : letter))
        .join("");
      return fc
        .constantFrom("", "/", "//", "/.", "/x/..", ".", "...", " ", "\\")
        .map((end) => `${before.join("")}${cased}${end}`);
    })
    .chain((path) =>
      fc.constantFrom(path, `/${path}`, `base64:${Buffer.from(path).toString("base64")}`),
    );

  const calls = (path: string): [string, object][] => [
    ["read-file", { path }],
    ["read-file", { path, base64: true, offset: 3, maxBytes: 1 }],
    ["list-files", { path, hashes: true }],
    ["search-files", { path, query: "a" }],
    ["write-file", { path, content: "mine" }],
    ["write-file", { path, content: "mine", append: true }],
    ["edit-file", { path, oldText: "token", newText: "mine" }],
    ["delete-file", { path, recursive: true }],
    ["copy-file", { from: path, to: "/stolen" }],
    ["move-file", { from: path, to: "/stolen" }],
    ["copy-file", { from: "/notes.txt", to: path, overwrite: true }],
    ["move-file", { from: "/notes.txt", to: path, overwrite: true }],
  ];

  it("reads or changes them, however their path is written", async () => {
    const before = files.map((path) => agent.computer.fs.read(path));
    const property = fc.asyncProperty(spelled, async (path) => {
      for (const [method, params] of calls(path)) {
        const answer = await link.request(method, params);
        expect(answer, `${method} ${JSON.stringify(params)}`).toMatchObject({
          ok: false,
          error: expect.stringContaining(texts.noToolReadsOr),
        });
      }
    });
    await fc.assert(property, { numRuns: 60 });
    expect(files.map((path) => agent.computer.fs.read(path))).toEqual(before);
    expect(agent.computer.fs.exists("/stolen")).toBe(false);
  }, 60_000);

  it("finds them from a folder above, or in a copy under another name", async () => {
    const listed = await link.request("list-files", { path: "/", recursive: true, hashes: true });
    expect(JSON.stringify(listed)).toContain("/notes.txt");
    expect(JSON.stringify(listed)).not.toMatch(/mcp-computer\.(secret|id)/);
    for (const glob of [undefined, "*", ".mcp*", "**/.mcp-computer.*"]) {
      const found = await link.request("search-files", { path: "/", query: TOKEN, glob });
      expect(found).toMatchObject({ ok: true, result: { matches: [] } });
    }
    expect(await link.request("copy-file", { from: "/disk", to: "/backup" })).toMatchObject({
      ok: true,
    });
    for (const path of ["/backup/.mcp-computer.secret", "/copy.txt"]) {
      expect(await link.request("read-file", { path })).toMatchObject({ ok: false });
    }
    for (const method of ["copy-file", "move-file"]) {
      const moved = await link.request(method, { from: "/copy.txt", to: "/stolen" });
      expect(moved).toMatchObject({ ok: false });
    }
    for (const from of ["/", "/."]) {
      expect(await link.request("copy-file", { from, to: "/everything" })).toMatchObject({
        ok: false,
      });
      expect(await link.request("delete-file", { path: from, recursive: true })).toMatchObject({
        ok: false,
      });
    }
    expect(await link.request("read-file", { path: "/notes.txt" })).toMatchObject({ ok: true });
    expect(await link.request("read-file", { path: "/.settings" })).toMatchObject({
      ok: true,
      result: { content: expect.stringContaining("my.note") },
    });
  });
});
