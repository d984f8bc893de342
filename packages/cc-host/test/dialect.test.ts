import { describe, expect, it } from "vitest";
import { newWorld, run } from "./helpers.js";

async function lua(program: string, version = "1.113.1"): Promise<string[]> {
  return run((await newWorld({ version })).computer(), program);
}

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

it("should report its version and platform", async () => {
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
