// What is kept of files before jobs change them: the parts that no whole bridge is needed for.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LuaComputer } from "./lua-computer.js";

const FOLDER = "/.mcp-computer.before";

let lua: LuaComputer;

beforeEach(async () => {
  lua = await LuaComputer.boot();
});

afterEach(() => lua.close());

/** `job(id)` has the `open` of a job and `leave`; `put`, `collect` and `left` are short for what tests do most. */
const SCENE = `
  local function no_turn() end
  local before = require("mcp.before").new()
  local function job(id)
    local made, patches = { id = id }, {}
    before.follow(made, patches)
    for _, patch in ipairs(patches) do made[patch[2]] = patch[3] end
    return made
  end
  local function put(open, path, text, mode)
    local file = open(path, mode or "w") file.write(text) file.close()
  end
  local function collect(forget) return before.collect({ forget = forget }, no_turn) end
`;

interface Kept {
  id: string;
  job: string;
  path: string;
  absent?: boolean;
  text?: string;
  content?: string;
  left?: string;
  after?: object;
  problem?: string;
}

const files = (body: string) => lua.json<Kept[]>(`${SCENE} ${body}`);
const kept = "return json.encode(collect().files)";

/** As a computer that went off left it. */
const leave = (text: string) =>
  lua.computer.fs.write(`${FOLDER}/3.pack`, Buffer.from(text, "latin1"));

const record = (n: number, path: string, content: string) =>
  `${n} job-1 1700000000000 k ${content.length} ${path}\n${content}`;

describe("after a reboot", () => {
  it("everything that was kept is there, byte for byte", async () => {
    const binary = "\0\xff\r\n7 job-1 1700000000000 k 9 /no\n";
    leave(
      `${record(4, "/a", binary)}5 job-1 1700000000000 a 0 /new\n` +
        `6 job-1 1700000000000 l 20000 /log\n7 job-1 1700000000000 p 0 /large\n${record(8, "/empty", "")}`,
    );
    const found = await files(kept);
    expect(found.map(({ id, path }) => [id, path])).toEqual([
      ["4", "/a"],
      ["5", "/new"],
      ["6", "/log"],
      ["7", "/large"],
      ["8", "/empty"],
    ]);
    expect(Buffer.from(found[0]?.content ?? "", "base64").toString("latin1")).toBe(binary);
    expect(found[1]?.absent).toBe(true);
    expect(found[2]?.problem).toContain("only its length");
    expect(found[3]?.problem).toBe("it was not kept");
    expect(found[4]?.text).toBe("");
  });

  it.each([1, 20, 40])("a record that lacks its last %i bytes is left out", async (bytes) => {
    leave(record(1, "/a", "whole") + record(2, "/b", "torn").slice(0, -bytes));
    const found = await files(`put(job("next").open, "/c", "new") ${kept}`);
    expect(found.map(({ id, path }) => [id, path])).toEqual([
      ["1", "/a"],
      ["2", "/c"],
    ]);
    expect(found[0]?.text).toBe("whole");
  });

  it("a file without a whole record is deleted", async () => {
    leave("1 job-1 17");
    expect(await files(kept)).toEqual([]);
    expect(lua.computer.fs.exists(FOLDER)).toBe(false);
  });

  it("what an earlier version kept is listed as not kept, and deleted", async () => {
    const { fs } = lua.computer;
    fs.write(`${FOLDER}/index`, "1 job-1 1700000000000 c -1 /a\n2 job-1 1700000000000 a -1 /b\n");
    fs.write(`${FOLDER}/1`, "old");
    const found = await files(kept);
    expect(found).toMatchObject([
      { path: "/a", problem: "it was not kept" },
      { path: "/b", absent: true },
    ]);
    await files(`collect({ "1", "2" }) ${kept}`);
    expect(fs.exists(FOLDER)).toBe(false);
  });
});

it("what the bridge has is deleted, and the rest is still there", async () => {
  const { fs } = lua.computer;
  for (const name of ["a", "b", "c"]) fs.write(`/${name}`, `old ${name}`);
  const found = await files(`
    local running = job("one")
    put(running.open, "/a", "new") put(running.open, "/b", "new")
    collect()
    -- While the bridge saves those.
    put(running.open, "/c", "new") put(running.open, "/a", "newer")
    collect({ "1" })
    assert(#fs.list("${FOLDER}") == 2)
    collect({ "2" })
    assert(#fs.list("${FOLDER}") == 1)
    ${kept}`);
  expect(found).toMatchObject([
    { id: "3", path: "/c", text: "old c", left: "new" },
    { id: "4", path: "/a", text: "new", left: "newer" },
  ]);
});

it("two jobs that write one file have each what was there before them", async () => {
  lua.computer.fs.write("/a", "0");
  const found = await files(`
    local one, two = job("one"), job("two")
    put(one.open, "/a", "1") put(two.open, "/a", "2") put(one.open, "/a", "3")
    one.leave() two.leave()
    ${kept}`);
  expect(found).toMatchObject([
    { job: "one", text: "0", left: "3" },
    { job: "two", text: "1", left: "3" },
  ]);
});

it("what a job left is not known once something else changed the file", async () => {
  const found = await files(`
    local one = job("one")
    put(one.open, "/a", "1") put(one.open, "/b", "1") fs.delete("/b")
    one.leave()
    put(fs.open, "/a", "the player's") put(fs.open, "/b", "x")
    ${kept}`);
  expect(found.map(({ left, after }) => [left, after])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

it("the 201st file is named and not kept, and those after it are not named", async () => {
  const found = await files(`
    local one = job("one")
    for n = 1, 203 do put(fs.open, "/d/" .. n, "old") put(one.open, "/d/" .. n, "new") end
    local all, forget = {}, {}
    repeat
      local page = collect(forget)
      for _, file in ipairs(page.files) do all[#all + 1] = file forget[#forget + 1] = file.id end
    until not page.more
    return json.encode(all)`);
  expect(found).toHaveLength(201);
  expect(found[199]).toMatchObject({ path: "/d/200", text: "old" });
  expect(found[200]).toMatchObject({ path: "/d/201" });
  expect(found[200]?.problem).toContain("had changed 200 files");
});

it("a full disk fails no job, and is the reason that is given", async () => {
  lua.computer.fs.write("/empty", "");
  const found = await files(`
    local full = fs.open("/full", "w") full.write(("x"):rep(fs.getFreeSpace("/") + 500)) full.close()
    assert(fs.getFreeSpace("/") == 0)
    job("one").delete("/empty")
    assert(not fs.exists("/empty"))
    fs.delete("/full")
    ${kept}`);
  expect(found).toMatchObject([{ path: "/empty", problem: expect.stringMatching("Out of space") }]);
});

it("nothing follows a record that could be written in part only", async () => {
  for (const name of ["a", "b", "c"]) lua.computer.fs.write(`/${name}`, `old ${name}`);
  const found = await files(`
    put(job("one").open, "/a", "new")
    package.loaded["mcp.before"], package.loaded["mcp.packs"] = nil, nil
    local open = fs.open
    function fs.open(path, mode)
      local file = open(path, mode)
      if mode ~= "wb" then return file end
      local write = file.write
      function file.write(text)
        if not text:find("old b") then return write(text) end
        write(text:sub(1, -3))
        error("Out of space", 0)
      end
      return file
    end
    before = require("mcp.before").new()
    local two = job("two")
    put(two.open, "/b", "new") put(two.open, "/c", "new")
    fs.open = open
    assert(collect().files[2].problem == "Out of space")
    before = require("mcp.before").new()
    ${kept}`);
  expect(found).toMatchObject([
    { path: "/a", text: "old a" },
    { path: "/c", text: "old c" },
  ]);
});
