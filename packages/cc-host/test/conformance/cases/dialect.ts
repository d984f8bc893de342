import type { ConformanceCase } from "../case.js";

export const dialect: readonly ConformanceCase[] = [
  {
    name: "speaks Lua 5.2 from 1.109 on and 5.1 before",
    lua: `local chunk = load("return shell ~= nil") report(_VERSION, chunk())`,
    lines: ({ since }) => [since("1.109.0") ? "Lua 5.2|false" : "Lua 5.1|false"],
  },
  {
    name: "keeps what Cobalt keeps of Lua 5.1",
    lua: `report(type(setfenv), type(getfenv), type(loadstring), type(unpack), type(table.maxn), type(math.pow))
      local f = setfenv(function() return x end, { x = 7 })
      report(f(), getfenv(f).x)`,
    lines: ["function|function|function|function|function|function", "7|7"],
    notInEmulator: "its setfenv does not take a Lua 5.2 function",
  },
  {
    name: "lacks what Cobalt lacks",
    lua: `report(collectgarbage, os.exit, os.execute, os.getenv, module, io.popen)
      report((load("\\27Lua")))`,
    lines: ["nil|nil|nil|nil|nil|nil", "nil"],
    notInEmulator: "it has collectgarbage and binary chunks",
  },
  {
    name: "has what it has of later versions",
    lua: `report(type(utf8.char), type(string.pack), type(bit32.band), type(table.pack))
      report(type(coroutine.isyieldable), type(table.move))
      report(("%x %d %5.1f"):format(255, 1700000000123, 2.26), ("%012X"):format(2^40 + 10))`,
    lines: ({ since }) => [
      "function|function|function|function",
      since("1.109.0") ? "function|function" : "nil|nil",
      "ff 1700000000123   2.3|01000000000A",
    ],
  },
  {
    name: "prints numbers by version",
    lua: "report(2^53, 123456789012345, 1.5, 1/0, -1/0, 12, -0.25)",
    lines: ({ since, emulator }) => [
      since("1.114.0") || emulator
        ? "9.007199254741e+15|1.2345678901234e+14|1.5|inf|-inf|12|-0.25"
        : "9007199254740992|123456789012345|1.5|inf|-inf|12|-0.25",
    ],
  },
  {
    name: "names chunks",
    lua: `report(select(2, pcall(load("error('e')", "=x"))))
      report(select(2, pcall(load("error('e')", "@/f.lua"))))
      report(select(2, pcall(load("error('e')", "x"))))
      report(select(2, load("x x", "=c")))
      report(select(2, pcall(error, "plain", 0)))
      report(type(select(2, pcall(error, { 1 }))))`,
    lines: ["x:1: e", "/f.lua:1: e", '[string "x"]:1: e', /^c:1:/, "plain", "table"],
  },
  {
    name: "reports where an error happened",
    lua: `local t = nil
      report(select(2, pcall(function() return t.x end)))
      report(select(2, pcall(function() return 1 + {} end)))
      report(select(2, pcall(function() error("mine") end)))
      report(select(2, pcall(function() error("theirs", 2) end)))
      report(select(2, pcall(string.rep)))`,
    lines: [
      /^\/?t\.lua:2: attempt to index .*a nil value\)?$/,
      /^\/?t\.lua:3: attempt to perform arithmetic on .*a table value\)?$/,
      /^\/?t\.lua:4: mine$/,
      /theirs$/,
      /bad argument/,
    ],
  },
  {
    name: "packs and unpacks",
    lua: `local p = string.pack("<i2 >I4 z s1 b d f", -2, 0x01020304, "zero", "len", -1, 1.5, -0.25)
      report(#p, p:byte(1, 6))
      report(string.unpack("<i2 >I4 z s1 b d f", p))
      report(string.packsize("!4 b i4"), string.unpack(">d", string.pack(">d", 1/3)) == 1/3, string.unpack("<d", string.pack("<d", -1/0)))
      report(pcall(string.unpack, "i4", "abc"))`,
    lines: [
      "28|254|255|1|2|3|4",
      "-2|16909060|zero|len|-1|1.5|-0.25|29",
      "8|true|-inf|9",
      /data string too short/,
    ],
  },
  {
    name: "matches patterns, with captures, frontiers and balance",
    lua: `report(("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
      report(("f(a(b)c)d"):match("%b()"), ("THE (quick) fox"):find("%f[%a]%a+%f[%A]"))
      report((("hello"):gsub("l", { l = "L" })), (("abc"):gsub("%w", "%0%0", 2)), (("abc"):gsub("", "-")))
      report(("a,b,,c"):gsub(",", ";"))
      report(pcall(string.find, "a", "[a")) report(pcall(string.gsub, "a", "a", "%2"))`,
    lines: [
      "key|value",
      "(a(b)c)|1|3",
      "heLLo|aabbc|-a-b-c-",
      "a;b;;c|3",
      /^false\|.*malformed pattern/,
      /^false\|.*invalid (capture index|use of)/,
    ],
  },
  {
    name: "yields across pcall, metamethods, iterators, sort and gsub",
    lua: `local function wait(value) os.queueEvent("on") os.pullEvent("on") return value end
      report(pcall(wait, 1))
      report(setmetatable({}, { __index = function(_, key) return wait(key) end }).x)
      report(setmetatable({}, { __add = function() return wait("sum") end }) + 1)
      for v in function(_, i) return wait(not i and "once" or nil) end do report(v) end
      local list = { 3, 1, 2 }
      table.sort(list, function(a, b) return wait(a < b) end)
      report(table.concat(list, " "))
      report((("abc"):gsub("%w", function(c) return wait(c:upper()) end)))
      report(xpcall(function() wait() error("deep", 0) end, function(e) return "handled " .. e end))`,
    lines: ["true|1", "x", "sum", "once", "1 2 3", "ABC", "false|handled deep"],
    notInEmulator: "its sort and gsub cannot yield",
  },
  {
    name: "yields across tostring, format, print, pairs, load and a sort by metamethods",
    lua: `local function wait(value) os.queueEvent("on") os.pullEvent("on") return value end
      local named = setmetatable({}, { __tostring = function() return wait("named") end })
      report(tostring(named), ("%s"):format(named), pcall(print, named))
      for key in pairs(setmetatable({}, { __pairs = function() return next, wait({ inside = 1 }) end })) do report(key) end
      local pieces = { "return ", "6 * ", "7" }
      report(load(function() return wait(table.remove(pieces, 1)) end)())
      report(load(function() wait() error("unreadable", 0) end))
      local order = { __lt = function(a, b) return wait(a.n < b.n) end }
      local list = {} for i = 1, 3 do list[i] = setmetatable({ n = 4 - i }, order) end
      table.sort(list)
      report(list[1].n, list[2].n, list[3].n)`,
    lines: ["named|named|true|1", "inside", "42", "nil|unreadable", "1|2|3"],
    notInEmulator: "its natives cannot yield",
  },
  {
    name: "overflows its stack with an error, and continues",
    lua: `local function down(n) return 1 + down(n + 1) end
      local ok, problem = pcall(down, 1)
      report(ok, tostring(problem):match("stack overflow"))
      local function wrap(n) if n == 0 then return "bottom" end return coroutine.wrap(wrap)(n - 1) end
      report(pcall(wrap, 100))
      local depth = 0
      local function protected() depth = depth + 1 if depth < 50 then pcall(protected) end end
      protected() report(depth)`,
    lines: ["false|stack overflow", "true|bottom", "50"],
  },
  {
    name: "makes and ends coroutines",
    lua: `local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error("over " .. b, 0) end)
      report(coroutine.resume(co, 1)) report(coroutine.status(co)) report(coroutine.resume(co, 5))
      report(coroutine.status(co)) report(coroutine.resume(co))
      report(select("#", coroutine.running()), type((coroutine.running())))
      report(pcall(coroutine.create, 1)) report(pcall(coroutine.resume, 1))
      report(pcall(coroutine.wrap(function() error("inside", 0) end)))`,
    lines: ({ since, emulator }) => [
      "true|2",
      "suspended",
      "false|over 5",
      "dead",
      "false|cannot resume dead coroutine",
      since("1.109.0") || emulator ? "2|thread" : "1|thread",
      /^false\|.*bad argument.*(function expected|expected function)/,
      /^false\|.*bad argument.*(coroutine|thread) expected/,
      "false|inside",
    ],
  },
];
