import { expect, it } from "vitest";
import { newWorld, reported, run } from "./helpers.js";

it("should have the screen of its kind", async () => {
  const world = await newWorld();
  const sizes = [];
  for (const kind of ["computer", "turtle", "pocket", "command"] as const) {
    const computer = world.computer({ kind });
    sizes.push(await run(computer, "report(term.getSize())"));
  }
  expect(sizes).toEqual([["51|19"], ["39|13"], ["26|20"], [expect.stringMatching(/^51\|1[89]$/)]]);
});

it("should wrap words, cut long ones and scroll", async () => {
  const computer = (await newWorld()).computer({ kind: "pocket" });
  await run(
    computer,
    'term.clear() term.setCursorPos(1, 1) report(print("hello wide world of computers and " .. ("x"):rep(30))) report(write("a\\nb\\n"))',
  );
  expect(computer.screen.lines().slice(0, 5)).toEqual([
    "hello wide world of",
    "computers and xxxxxxxxxxxx",
    "xxxxxxxxxxxxxxxxxx",
    "a",
    "b",
  ]);
  expect(reported(computer)).toEqual(["3", "2"]);
  await run(computer, "for i = 1, 30 do print(i) end");
  expect(computer.screen.lines()[0]).toBe("12");
  expect(computer.screen.transcript()).toContain("\n1\n2\n3\n");
});

it("should print errors in red where there is colour", async () => {
  const world = await newWorld();
  for (const advanced of [true, false]) {
    const computer = world.computer({ advanced });
    await run(
      computer,
      'term.clear() term.setCursorPos(1, 1) printError("bad") io.write("x", 1, "\\n") io.stderr:write("err\\n")',
    );
    expect(computer.screen.line(1).foreground.slice(0, 3)).toBe(advanced ? "eee" : "000");
    expect(computer.screen.line(3).foreground.slice(0, 3)).toBe(advanced ? "eee" : "000");
    expect(computer.screen.lines()[1]).toBe("x1");
  }
});

it("should run tabs on advanced computers and send keys only to the focused one", async () => {
  const world = await newWorld();
  const computer = world.computer({
    advanced: true,
    files: {
      "/tab.lua":
        'local f = fs.open("/tab", "a") while true do local e = os.pullEventRaw() f.write(e .. " ") f.flush() end',
    },
  });
  await run(
    computer,
    `report(multishell.getCount(), multishell.getCurrent(), multishell.getFocus(), term.current().getLine)
     local id = shell.openTab("tab")
     report(id, multishell.getCount(), multishell.getTitle(id), term.getSize())`,
  );
  expect(reported(computer)).toEqual(["1|1|1|nil", "2|2|tab|51|18"]);
  computer.fs.write("/tab", "");
  computer.type("x");
  await computer.idle();
  computer.queueEvent("redstone");
  await computer.idle();
  expect(computer.fs.read("/tab")).toBe("redstone ");
  expect(computer.screen.lines()[0]).toContain("shell");
  expect(computer.screen.lines()[0]).toContain("tab");
  computer.terminate();
  await computer.idle();
  expect(computer.fs.read("/tab")).toBe("redstone term_resize ");
  expect(computer.screen.lines()[0]).not.toContain("shell");
});

it("should give programs the window itself before 1.104", async () => {
  const computer = (await newWorld({ version: "1.103.0" })).computer({ advanced: true });
  expect(await run(computer, "report(type(term.current().getLine))")).toEqual(["function"]);
});

it("should read a line with editing keys and a mask", async () => {
  const computer = (await newWorld()).computer();
  await run(computer, 'report(read()) report(read("*", nil, nil, "ab"))');
  computer.type("helo");
  await computer.idle();
  computer.pressKey(263);
  computer.type("l");
  await computer.idle();
  computer.type("\nc");
  await computer.idle();
  expect(computer.screen.text()).toContain("***");
  computer.pressKey(259);
  computer.paste("xyz");
  computer.type("\n");
  await computer.idle();
  expect(reported(computer)).toEqual(["hello", "abxyz"]);
});
