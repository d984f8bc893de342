import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LuaComputer } from "./lua-computer.js";

interface SentEvent {
  seq: number;
  name: string;
  args: unknown[];
  dropped?: number;
  truncated?: boolean;
}

const setUp = `
  local frames = {}
  local now, timers = 100, 0
  local real_clock, real_start = os.clock, os.startTimer
  os.clock = function() return now end
  os.startTimer = function() timers = timers + 1 return timers end
  local forwarder = require("mcp.events").new({
    send = function(text) frames[#frames + 1] = text end,
  })
  local function offer(...) forwarder.offer(table.pack(...)) end
  local function pass(seconds) now = now + seconds forwarder.look() end
  local function sent()
    os.clock, os.startTimer = real_clock, real_start
    return "[" .. table.concat(frames, ",") .. "]"
  end
`;

describe.each(["1.100.0", "1.113.1"])("events on CC:Tweaked %s", (version) => {
  let lua: LuaComputer;
  beforeAll(async () => {
    lua = await LuaComputer.boot(version);
  });
  afterAll(() => lua.close());

  const run = (body: string) => lua.json<SentEvent[]>(`${setUp} ${body} return sent()`);

  // The registry's tests have the same table: both sides must agree.
  it.each([
    ["redstone", "redstone", true],
    ["redstone", "redstone2", false],
    ["*", "", true],
    ["turtle_*", "turtle_inventory", true],
    ["turtle_*", "a turtle_inventory", false],
    ["*_message", "modem_message", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["**", "x", true],
    ["a.c", "abc", false],
    ["%a*", "%ab", true],
  ])("%s against %j: %s", async (pattern, name, fits) => {
    const events = await run(`forwarder.watch({ { name = "${pattern}" } }) offer("${name}")`);
    expect(events.length).toBe(fits ? 1 : 0);
  });

  it.each([
    ['["1"] = "left"', true],
    ['["1"] = "l*t", ["2"] = 7', true],
    ['["2"] = "7"', true],
    ['["3"] = true', true],
    ['["3"] = "true"', true],
    ['["2"] = 8', false],
    ['["4"] = "*"', false],
    ['["5"] = "*"', false],
  ])("filter %s: %s", async (filter, fits) => {
    const events = await run(
      `forwarder.watch({ { name = "n", filter = { ${filter} } } }) offer("n", "left", 7, true, {})`,
    );
    expect(events.length).toBe(fits ? 1 : 0);
  });

  it.each([
    ["nil", "needs params.watches"],
    ["{ {} }", "every watch needs a name"],
    ['{ { name = "" } }', "every watch needs a name"],
    ['{ { name = ("x"):rep(129) } }', "every watch needs a name"],
    ['{ { name = "x", filter = 1 } }', "a filter must be an object"],
    ['{ { name = "x", filter = { side = "left" } } }', "by position"],
    ['{ { name = "x", filter = { ["0"] = "left" } } }', "by position"],
    ['{ { name = "x", filter = { ["1.5"] = "left" } } }', "by position"],
    ['{ { name = "x", filter = { ["1"] = {} } } }', "a string, a number or a boolean"],
    ['{ { name = "x", filter = { ["1"] = ("x"):rep(257) } } }', "at most 256 bytes"],
  ])("refuses %s and keeps the list that it had", async (list, problem) => {
    const [text, event] = await lua.json<[string, SentEvent]>(
      `${setUp} forwarder.watch({ { name = "old" } })
       local result, problem = forwarder.watch(${list})
       offer("old")
       frames[2] = frames[1]
       frames[1] = json.encode(result == nil and problem or "taken")
       return sent()`,
    );
    expect(text).toContain(problem);
    expect(event.name).toBe("old");
  });

  it("sends a burst, then by the second, and counts exactly what it leaves out", async () => {
    const events = await run(`
      forwarder.watch({ { name = "n" } })
      for i = 1, 60 do offer("n", i) end
      pass(0.05)
      offer("n", 61) offer("n", 62)
      pass(0.05)
      pass(10)
      for i = 63, 120 do offer("n", i) end
      pass(1)`);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const last = events.slice(50).map(({ args, dropped }) => [args[0], dropped]);
    expect(last.slice(0, 2)).toEqual([
      [60, 9],
      [62, 1],
    ]);
    expect(last.at(-1)?.[0]).toBe(120);
    const dropped = events.reduce((sum, event) => sum + (event.dropped ?? 0), 0);
    expect(events.length + dropped).toBe(120);
  });

  it("counts while the link is down, for the same list only", async () => {
    const events = await run(`
      forwarder.watch({ { name = "n" } })
      offer("n", 1)
      forwarder.suspend()
      offer("n", 2) offer("other") offer("n", 3)
      forwarder.watch({ { name = "n" } })
      offer("n", 4)
      forwarder.suspend()
      offer("n", 5)
      forwarder.watch({ { name = "n*" } })
      offer("n", 6)`);
    expect(events.map(({ args, dropped }) => [args[0], dropped])).toEqual([
      [1, undefined],
      [4, 2],
      [6, undefined],
    ]);
  });

  it("counts an event that was held when the link dropped", async () => {
    const events = await run(`
      forwarder.watch({ { name = "n" } })
      for i = 1, 52 do offer("n", i) end
      forwarder.suspend()
      pass(5)
      forwarder.watch({ { name = "n" } })
      offer("n", 53)`);
    expect(events.at(-1)).toMatchObject({ args: [53], dropped: 2 });
    expect(events).toHaveLength(51);
  });

  it("writes any arguments as JSON, within bounds", async () => {
    const events = await run(`
      forwarder.watch({ { name = "*" } })
      local loop = {} loop.self = loop
      offer("all", nil, print, loop, 1 / 0, "\\255", { { 1 }, x = 2 }, nil)
      offer("none")
      offer("long", ("x"):rep(9000), 1)
      local many = {} for i = 1, 40 do many[i] = i end
      offer("many", table.unpack(many))`);
    expect(events[0]?.args).toEqual([
      null,
      "<function>",
      { self: "<cycle>" },
      "inf",
      "base64:/w==",
      { "1": [1], x: 2 },
      null,
    ]);
    expect(events[0]).not.toHaveProperty("truncated");
    expect(events[1]?.args).toEqual([]);
    expect(events[2]).toMatchObject({ args: ["x".repeat(8192)], truncated: true });
    expect(events[3]?.args).toHaveLength(32);
    expect(events[3]).toMatchObject({ truncated: true });
  });

  it("forwards noise and keys by their full names only", async () => {
    const noise = ["timer", "key", "char", "paste", "mouse_click", "http_success", "task_complete"];
    const offered = noise.map((name) => `offer("${name}", 1)`).join(" ");
    const events = await run(`
      forwarder.watch({ { name = "*" } }) ${offered}
      forwarder.watch({ { name = "*" }, { name = "key" } }) ${offered}`);
    expect(events.map(({ name }) => name)).toEqual(["key"]);
  });
});
