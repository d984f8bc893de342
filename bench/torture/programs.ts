export type Platform = "host" | "core" | "emulator";

export interface Ending {
  readonly state: "cancelled" | "failed" | "done" | "lost";
  readonly error?: string;
}

export interface CruelProgram {
  readonly name: string;
  readonly lua: string;
  /** The required outcome of the job. @default cancelled */
  readonly ends?: Ending;
  readonly endsElsewhere?: {
    readonly on: Platform;
    readonly why: string;
    readonly ends: Ending;
  };
  readonly byItself?: true;
  readonly intent?: "reboot" | "shutdown";
  readonly notOn?: Partial<Readonly<Record<Platform, string>>>;
  /** Overflows the game's event queue, which drops all timers: the witness must not need one. */
  readonly floods?: true;
}

const BUSY = "while true do end";
const done: Ending = { state: "done" };
const lost: Ending = { state: "lost" };
const failed = (error: string): Ending => ({ state: "failed", error });
const PATTERNS = "its pattern matcher is not interrupted";
/** Without pre-emption, code is stopped before the game's limit. */
const STOPPED = failed("ran for 5 s without yielding");

export const programs: readonly CruelProgram[] = [
  { name: "busy loop", lua: BUSY },
  { name: "busy loop in pcall", lua: `while true do pcall(function() ${BUSY} end) end` },
  {
    name: "short work in pcall",
    lua: "while true do pcall(function() for i = 1, 100 do end end) end",
  },
  { name: "pcall that fails at once", lua: "while true do pcall(error, 'again') end" },
  {
    name: "pcall in pcall in pcall",
    lua: `while true do pcall(pcall, pcall, function() ${BUSY} end) end`,
  },
  {
    name: "busy xpcall handler",
    lua: `while true do xpcall(error, function() ${BUSY} end) end`,
    endsElsewhere: { on: "host", why: "its handlers cannot yield", ends: STOPPED },
  },
  {
    name: "xpcall handler that fails",
    lua: `while true do xpcall(function() ${BUSY} end, function() error("worse") end) end`,
  },
  {
    name: "busy xpcall handler of busy code",
    lua: `local function busy() ${BUSY} end while true do xpcall(busy, busy) end`,
  },
  { name: "busy __index", lua: `return setmetatable({}, { __index = function() ${BUSY} end }).x` },
  {
    name: "busy __newindex in pcall",
    lua: `local t = setmetatable({}, { __newindex = function() ${BUSY} end }) while true do pcall(function() t.x = 1 end) end`,
  },
  {
    name: "busy __tostring",
    lua: `print(setmetatable({}, { __tostring = function() ${BUSY} end }))`,
    endsElsewhere: { on: "emulator", why: "its natives cannot yield", ends: STOPPED },
  },
  {
    name: "busy __tostring in pcall",
    lua: `local t = setmetatable({}, { __tostring = function() ${BUSY} end }) while true do pcall(tostring, t) end`,
    endsElsewhere: { on: "emulator", why: "its natives cannot yield", ends: STOPPED },
  },
  {
    name: "busy __lt in sort",
    lua: `local l, m = {}, { __lt = function() ${BUSY} end } for i = 1, 20 do l[i] = setmetatable({}, m) end table.sort(l)`,
  },
  {
    name: "busy __concat and __call",
    lua: `local t = setmetatable({}, { __concat = function() ${BUSY} end, __call = function(s) return s .. s end }) while true do pcall(t) end`,
  },
  {
    name: "busy __pairs",
    lua: `while true do pcall(pairs, setmetatable({}, { __pairs = function() ${BUSY} end })) end`,
    endsElsewhere: { on: "emulator", why: "its natives cannot yield", ends: STOPPED },
  },
  {
    name: "busy sort comparator",
    lua: `while true do pcall(table.sort, { 3, 2, 1 }, function() ${BUSY} end) end`,
  },
  {
    name: "busy gsub callback",
    lua: `while true do pcall(string.gsub, "abc", ".", function() ${BUSY} end) end`,
  },
  { name: "busy iterator", lua: `for _ in function() ${BUSY} end do end` },
  {
    name: "busy load reader",
    lua: `while true do pcall(load, function() ${BUSY} end) end`,
    endsElsewhere: { on: "emulator", why: "its natives cannot yield", ends: STOPPED },
  },
  {
    name: "busy coroutine.wrap",
    lua: `coroutine.wrap(function() while true do pcall(function() ${BUSY} end) end end)()`,
  },
  {
    name: "coroutines in coroutines",
    lua: `local function f(n) if n == 0 then while true do pcall(function() ${BUSY} end) end end coroutine.wrap(f)(n - 1) end f(20)`,
  },
  {
    name: "endless nesting of coroutines",
    lua: "local function f() return coroutine.wrap(f)() end f()",
    ends: failed("more than 100 coroutines inside of each other"),
    byItself: true,
  },
  {
    name: "endless nesting, caught",
    lua: "local function f() pcall(coroutine.wrap(f)) end while true do f() end",
    notOn: { emulator: "it crashes when hooks yield in nested coroutines" },
  },
  {
    name: "endless new coroutines",
    lua: "while true do coroutine.resume(coroutine.create(function() coroutine.yield() end)) end",
    notOn: { emulator: "it never frees a waiting coroutine, and crashes when there are many" },
  },
  {
    name: "coroutine that never ends, resumed",
    lua: "local co = coroutine.create(function() while true do coroutine.yield() end end) while true do coroutine.resume(co) end",
  },
  {
    name: "own hook",
    lua: `debug.sethook(function() end, "", 1) while true do pcall(function() ${BUSY} end) end`,
  },
  {
    name: "busy parallel",
    lua: `parallel.waitForAll(function() ${BUSY} end, function() while true do pcall(function() ${BUSY} end) end end, function() sleep(100) end)`,
  },
  {
    name: "shell.run of a busy program",
    lua: `local f = fs.open("/cruel.lua", "w") f.write("while true do pcall(function() while true do end end) end") f.close() shell.run("/cruel.lua")`,
  },
  {
    name: "program after program",
    lua: `local f = fs.open("/short.lua", "w") f.write("return") f.close() while true do shell.run("/short.lua") end`,
  },
  {
    name: "heavy native calls",
    lua: `local s = ("x"):rep(100000) while true do s:rep(10):upper():reverse() end`,
  },
  {
    name: "huge string.rep",
    lua: `local s = ("x"):rep(65536) while true do pcall(string.rep, s, 256) end`,
  },
  {
    name: "pattern bomb",
    lua: `return (("a"):rep(300)):find((".-"):rep(30) .. "b")`,
    ends: failed("Too long without yielding"),
    byItself: true,
    notOn: { emulator: PATTERNS },
  },
  {
    name: "pattern bombs in pcall",
    lua: `while true do pcall(string.find, ("a"):rep(300), (".-"):rep(30) .. "b") sleep(0) end`,
    notOn: { emulator: PATTERNS },
  },
  {
    name: "endless concatenation",
    lua: `local s = "x" for i = 1, 24 do s = s .. s end while true do local t = s .. "y" end`,
  },
  {
    name: "memory",
    lua: `local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i if i % 1000 == 0 then sleep(0) end end`,
  },
  {
    name: "deep recursion",
    lua: "local function f(n) return 1 + f(n + 1) end while true do pcall(f, 1) end",
  },
  {
    name: "deep recursion through pcall",
    lua: "local function f(n) if n > 0 then pcall(f, n - 1) end end while true do f(150) end",
  },
  {
    name: "endless recursion through pcall",
    lua: "local function f() pcall(f) end while true do f() end",
    notOn: { host: "its VM takes time by the square of the depth to unwind" },
  },
  { name: "pullEventRaw without end", lua: "while true do os.pullEventRaw() end" },
  { name: "terminate swallowed", lua: "while true do pcall(sleep, 10) end" },
  {
    name: "terminate answered by work",
    lua: `while true do if os.pullEventRaw() == "terminate" then while true do pcall(function() ${BUSY} end) end end end`,
  },
  {
    name: "queues terminate",
    lua: `while true do os.queueEvent("terminate") pcall(sleep, 0.1) end`,
    // Each of its sleeps leaves a timer behind.
    floods: true,
  },
  { name: "event flood", lua: `while true do os.queueEvent("flood") end`, floods: true },
  {
    name: "event flood, big tables",
    lua: `local t = {} for i = 1, 1000 do t[i] = i end while true do os.queueEvent("flood", t) end`,
    floods: true,
  },
  {
    name: "event flood with pulls",
    lua: `while true do os.queueEvent("a") os.queueEvent("b") os.pullEvent() end`,
    floods: true,
  },
  {
    name: "false messages",
    lua: `while true do os.queueEvent("websocket_message", "x", "{}") os.queueEvent("timer", 1) end`,
    floods: true,
  },
  {
    name: "timer flood",
    lua: "while true do for i = 1, 500 do os.startTimer(0) end sleep(0) end",
    floods: true,
  },
  {
    name: "many timers, one wait",
    lua: `for i = 1, 5000 do os.startTimer(0.5) end while true do os.pullEvent("timer") end`,
    floods: true,
  },
  { name: "output flood", lua: `while true do print(("x"):rep(100)) end` },
  { name: "output without lines", lua: `while true do write("x") end` },
  {
    name: "terminal calls",
    lua: "while true do term.clear() term.setCursorPos(1, 1) term.write('x') term.scroll(1) end",
  },
  {
    name: "redirected terminal",
    lua: `local w = window.create(term.current(), 1, 1, 20, 5) term.redirect(w) while true do print("x") end`,
  },
  {
    name: "terminal that fails",
    lua: `term.redirect(setmetatable({}, { __index = function() return function() error("no terminal") end end })) while true do pcall(print, "x") end`,
  },
  {
    name: "takes globals away",
    lua: `local keep = { os.queueEvent, os.pullEvent } for _, k in ipairs({ "print", "pcall" }) do _ENV[k] = nil end while true do keep[1]("go") keep[2]("go") end`,
  },
  {
    name: "peripheral storm",
    lua: `while true do for _, n in ipairs(peripheral.getNames()) do for _, m in ipairs(peripheral.getMethods(n)) do pcall(peripheral.call, n, m) end end pcall(peripheral.call, "top", "x") end`,
  },
  {
    name: "rednet flood",
    lua: `peripheral.find("modem", rednet.open) while true do rednet.broadcast({ "x" }) rednet.send(os.getComputerID(), "self") end`,
    floods: true,
  },
  {
    name: "disk full",
    lua: `local f = fs.open("/full", "a") while true do if not pcall(function() f.write(("x"):rep(1000)) f.flush() end) then sleep(0) end end`,
  },
  {
    name: "settings",
    lua: `while true do settings.set("cruel." .. math.random(100), { 1, 2 }) pcall(settings.save) end`,
    floods: true,
  },
  {
    name: "huge return value",
    lua: "local t = {} for i = 1, 50000 do t[i] = { i, tostring(i) } end return t",
    ends: done,
    byItself: true,
  },
  {
    name: "huge return text",
    lua: `return ("\\0\\1\\2x"):rep(250000)`,
    ends: done,
    byItself: true,
  },
  {
    name: "cyclic return",
    lua: "local t = {} for i = 1, 100 do t[i] = { t, t } end t.t = t return t, t, t",
    ends: done,
    byItself: true,
  },
  {
    name: "error that is cruel",
    lua: `error(setmetatable({}, { __tostring = function() ${BUSY} end }))`,
    ends: failed("an error without a message"),
    byItself: true,
  },
  { name: "clock set back", lua: `shiftClock(-8000) ${BUSY}` },
  {
    name: "clock set back in pcall",
    lua: `shiftClock(-3600000) while true do pcall(function() ${BUSY} end) end`,
  },
  {
    name: "clock set back again and again",
    lua: "while true do pcall(function() shiftClock(-1000) for i = 1, 10000 do end end) end",
  },
  {
    name: "clock set forward in pcall",
    lua: `shiftClock(3600000) while true do pcall(function() ${BUSY} end) end`,
  },
  { name: "http requests", lua: `while true do http.request("http://127.0.0.1:1/") sleep(0) end` },
  { name: "reboots", lua: "os.reboot()", ends: lost, intent: "reboot" },
  {
    name: "shuts down",
    lua: "os.shutdown()",
    ends: lost,
    intent: "shutdown",
    notOn: { emulator: "it ends with its computer" },
  },
];
