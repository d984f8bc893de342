import { describe, expect, it } from "vitest";
import { newWorld, run } from "./helpers.js";

async function lua(program: string, version = "1.113.1"): Promise<string[]> {
  return run((await newWorld({ version })).computer(), program);
}

it("should speak Lua 5.2 from 1.109 on and 5.1 before", async () => {
  const program = `local env_value = 1
    local chunk = load("return shell ~= nil")
    report(_VERSION, chunk())`;
  expect(await lua(program, "1.109.0")).toEqual(["Lua 5.2|false"]);
  expect(await lua(program, "1.108.4")).toEqual(["Lua 5.1|true"]);
});

it("should keep what Cobalt keeps from 5.1 and lack what it lacks", async () => {
  expect(
    await lua(`report(type(setfenv), type(getfenv), type(loadstring), type(unpack), type(table.maxn), type(math.pow))
      report(collectgarbage, os.exit, os.execute, os.getenv, module, io.popen)
      report(pcall(string.dump, print))
      local f = setfenv(function() return x end, { x = 7 })
      report(f(), getfenv(f).x, getfenv(1) == _ENV)
      report(load("\\27Lua"))
      report(type(utf8.char), coroutine.isyieldable(), type(bit32.band), table.concat(table.move({ 1, 2 }, 1, 2, 2), " "))
      report(("%x %d %5.1f|%s"):format(255, 1700000000123, 2.25, 2^40), ("%012X"):format(2^40 + 10))`),
  ).toEqual([
    "function|function|function|function|function|function",
    "nil|nil|nil|nil|nil|nil",
    "false|string.dump is not supported",
    "7|7|true",
    expect.stringContaining("nil|"),
    "function|true|function|1 1 2",
    "ff 1700000000123   2.2|1099511627776|01000000000A",
  ]);
});

describe("numbers", () => {
  const program = "report(2^53, 123456789012345, 1.5, 1e100 == 1e100, 0/0, 1/0, -1/0, 12)";
  it("should print whole numbers in full up to 1.113", async () => {
    expect(await lua(program, "1.113.1")).toEqual([
      "9007199254740992|123456789012345|1.5|true|nan|inf|-inf|12",
    ]);
  });
  it("should print 14 digits from 1.114 on", async () => {
    expect(await lua(program, "1.114.0")).toEqual([
      "9.007199254741e+15|1.2345678901234e+14|1.5|true|nan|inf|-inf|12",
    ]);
  });
});

it("should name chunks as the game does", async () => {
  expect(
    await lua(`report(select(2, pcall(load("error('e')", "=x"))))
      report(select(2, pcall(load("error('e')", "@/f.lua"))))
      report(select(2, pcall(load("error('e')", "x"))))
      report(select(2, load("x x", "=c")))
      report(select(2, pcall(assert, false, "plain")))
      report(select(2, pcall(error, { 1 })) ~= nil)`),
  ).toEqual([
    "x:1: e",
    "/f.lua:1: e",
    '[string "x"]:1: e',
    expect.stringContaining("c:1:"),
    "plain",
    "true",
  ]);
});

it("should never run finalizers of programs", async () => {
  const computer = (await newWorld()).computer();
  await run(
    computer,
    `GONE = false
     setmetatable({}, { __gc = function() report("finalized") end })
     os.pullEvent("go")
     report("end")`,
  );
  computer.collectGarbage();
  computer.queueEvent("go");
  await computer.idle();
  expect(computer.fs.read("/out")).toBe("end\n");
});

it("should say what it is", async () => {
  const world = await newWorld({ version: "1.116.1", minecraftVersion: "1.21.1" });
  const computer = world.computer({ id: 7, label: "base" });
  expect(
    await run(
      computer,
      `report(_HOST, os.version(), os.getComputerID(), os.getComputerLabel())
       os.setComputerLabel(("x"):rep(40))
       report(#os.getComputerLabel(), turtle, pocket, commands, term.isColour())
       report(os.epoch("utc") == os.epoch("local"), os.epoch("utc") > 1.6e12, os.time(), os.day(), os.date("!%Y", 0))`,
    ),
  ).toEqual([
    "ComputerCraft 1.116.1 (Minecraft 1.21.1)|CraftOS 1.9|7|base",
    "32|nil|nil|nil|false",
    "true|true|6|1|1970",
  ]);
});

it("should pack and unpack", async () => {
  expect(
    await lua(`local p = string.pack("<i2 >I4 z s1 b d f", -2, 0x01020304, "zero", "len", -1, 1.5, -0.25)
      report(#p, p:byte(1, 6))
      report(string.unpack("<i2 >I4 z s1 b d f", p))
      report(string.packsize("!4 b i4"), string.unpack(">d", string.pack(">d", 1/3)) == 1/3, string.unpack("<d", string.pack("<d", -1/0)))
      report(pcall(string.unpack, "i4", "abc"))`),
  ).toEqual([
    "28|254|255|1|2|3|4",
    "-2|16909060|zero|len|-1|1.5|-0.25|29",
    "8|true|-inf|9",
    expect.stringContaining("data string too short"),
  ]);
});
