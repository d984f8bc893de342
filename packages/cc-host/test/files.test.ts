import { expect, it } from "vitest";
import { newWorld, run } from "./helpers.js";

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
      ok, err = fs.open("/x", "r")
      if ok then handles[#handles + 1] = ok end
    until not ok
    handles[1].close()
    report(#handles, err)`;
  expect(await run(computer, program)).toEqual(["128|Too many files already open"]);
  computer.collectGarbage();
  expect(await run(computer, program)).toEqual(["128|Too many files already open"]);
});
