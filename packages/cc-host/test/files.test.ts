import { expect, it } from "vitest";
import { newWorld, run } from "./helpers.js";

async function lua(program: string, version = "1.113.1"): Promise<string[]> {
  return run((await newWorld({ version })).computer(), program);
}

it("should fill up at its capacity, counting every file for at least 500 bytes", async () => {
  const computer = (await newWorld()).computer({ capacity: 10_000 });
  const lines = await run(
    computer,
    `local before = fs.getFreeSpace("/")
     local f = fs.open("/small", "w") f.write("x") f.close()
     report(before - fs.getFreeSpace("/"), fs.getCapacity("/"), fs.getCapacity("/rom"))
     fs.makeDir("/d")
     report(before - fs.getFreeSpace("/"))
     f = fs.open("/big", "w")
     f.write(("x"):rep(2000))
     report(select(2, pcall(f.write, ("x"):rep(8000))))
     f.close()
     report(fs.getSize("/big"))
     local n = 0
     while true do local h = fs.open("/f" .. n, "w") if not h then break end h.close() n = n + 1 end
     report(n > 0, fs.getFreeSpace("/") < 500, select(2, fs.open("/more", "w")))`,
  );
  expect(lines[0]).toMatch(/^\d+\|10000\|nil$/);
  expect(lines.slice(2)).toEqual(["Out of space", "2000", "true|true|Out of space"]);
});

it("should answer with the game's errors", async () => {
  expect(
    await lua(`report(fs.open("/none", "r")) report(fs.open("/rom/x", "w")) report(fs.open("/rom", "r"))
      fs.makeDir("/d") report(fs.open("/d", "w")) report(pcall(fs.open, "/x", "rw"))
      report(pcall(fs.list, "/none")) report(pcall(fs.delete, "/rom/programs")) report(pcall(fs.delete, "/none"))
      local f = fs.open("/a", "w") f.close() fs.copy("/a", "/b")
      report(pcall(fs.move, "/a", "/b")) report(pcall(fs.makeDir, "/a")) report(pcall(fs.getSize, "/none"))
      report(pcall(fs.open, "../x", "r")) report(fs.exists("../x"), fs.isDir(".."))
      report(pcall(fs.open, nil, "r"))`),
  ).toEqual([
    "nil|/none: No such file",
    "nil|/rom/x: Access denied",
    "nil|/rom: Not a file",
    "nil|/d: Cannot write to directory",
    "false|Unsupported mode",
    "false|/none: Not a directory",
    "false|/rom/programs: Access denied",
    "true",
    "false|/b: File exists",
    "false|/a: File exists",
    "false|/none: No such file",
    "false|/../x: Invalid Path",
    "false|false",
    expect.stringContaining("bad argument #1"),
  ]);
});

it("should read and write in every mode", async () => {
  expect(
    await lua(`local f = fs.open("/t", "w") f.write("one\\r\\ntwo\\n") f.writeLine("three") f.close()
      f = fs.open("/t", "a") f.write(4) f.close()
      f = fs.open("/t", "r")
      report(f.readLine(), f.readLine(true):byte(-1), f.read(2), f.readAll():gsub("\\n", "/"))
      report(f.read(), f.readAll(), f.readLine()) f.close() -- no value at all at the end
      report(pcall(f.read))
      f = fs.open("/b", "wb") f.write(0) f.write("\\255\\10") f.close()
      f = fs.open("/b", "rb") report(f.read(), f.read(), f.seek("set", 1), f.read(5):byte(1, -1)) f.close()
      f = fs.open("/b", "r+") f.seek("set", 1) f.write("Z") f.close()
      report(fs.open("/b", "rb").readAll():byte(1, -1))
      local a = fs.attributes("/b")
      report(a.size, a.isDir, a.isReadOnly, a.modified > 1.6e12, fs.attributes("/rom").isReadOnly)`),
  ).toEqual([
    "one|10|th|ree/4|1",
    "nil|",
    "false|attempt to use a closed file",
    "0|255|1|255|10",
    "0|90|10",
    "3|false|false|true|true",
  ]);
});

it("should know r+ and w+ only from 1.109 on, and transcode text before", async () => {
  expect(await lua('report(pcall(fs.open, "/x", "w+"))', "1.108.4")).toEqual([
    "false|Unsupported mode",
  ]);
  const program = `local f = fs.open("/x", "w") f.write("\\233") f.close()
    report(fs.getSize("/x"), #fs.open("/x", "r").readAll(), #fs.open("/x", "rb").readAll())`;
  expect(await lua(program, "1.108.4")).toEqual(["2|1|2"]);
  expect(await lua(program, "1.109.0")).toEqual(["1|1|1"]);
});

it("should clean paths and find by wildcard", async () => {
  expect(
    await lua(`report(fs.combine("/a/../b//c", "./d", "/e"), fs.combine("", ".."), fs.getName("/a/b.c"), fs.getDir("a/b"), fs.getDir("a"))
      fs.open('/we:i"r?d', "w").close()
      report(table.concat(fs.find("/we*"), " "), fs.exists("/weird"), fs.getDrive("/rom"), fs.getDrive("/"))
      report(table.concat(fs.list("/rom"), " "))`),
  ).toEqual([
    "b/c/d/e|..|b.c|a|",
    "weird|true|rom|hdd",
    "apis autorun modules programs startup.lua",
  ]);
});

it("should keep its disk through reboot and unload", async () => {
  const world = await newWorld();
  const computer = world.computer();
  await run(computer, 'local f = fs.open("/kept", "w") f.write("yes") f.close()');
  computer.unload();
  computer.load();
  await computer.idle();
  expect(computer.fs.read("/kept")).toBe("yes");
  expect(await run(computer, 'report(fs.open("/kept", "r").readAll())')).toEqual(["yes"]);
});

it("should hold at most 128 open files, and forget those that became garbage", async () => {
  const world = await newWorld();
  const computer = world.computer();
  const program = `local handles = {}
    fs.open("/x", "w").close()
    local ok, err
    repeat
      ok, err = pcall(fs.open, "/x", "r")
      if ok then handles[#handles + 1] = err end
    until not ok
    handles[1].close()
    report(#handles, err)`;
  expect(await run(computer, program)).toEqual(["128|Too many files already open"]);
  computer.collectGarbage();
  expect(await run(computer, program)).toEqual(["128|Too many files already open"]);
});
