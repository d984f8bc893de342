--- Keeps foreign code from eating the seven seconds that the game gives the whole computer.
--
-- Every coroutine of a task carries a count hook. Where hooks may yield (CC:Tweaked's Lua), a task that
-- computes for long is taken off the processor and continues later. Elsewhere it gets an error in good
-- time, and again at every instruction until it has unwound, however often it is caught.

local clock = require("mcp.clock")

local raw_create, raw_resume, raw_yield = coroutine.create, coroutine.resume, coroutine.yield
local running, isyieldable = coroutine.running, coroutine.isyieldable
local raw_pcall, raw_xpcall = pcall, xpcall
local now = clock.milliseconds
local sethook = debug and debug.sethook

--- What a pre-empted coroutine yields: nothing else can be equal to it.
local PREEMPTED = {}

--- Instructions between two looks at the clock, at most and at least. Calls into the game count as one,
-- however long they take: code that makes many such calls is looked at more often.
local HOOK_COUNT, LEAST_COUNT = 1000, 50
--- A look comes too late after this long, and too early before that, in milliseconds.
local LATE, EARLY = 100, 10
--- How long a task computes before others get their turn, in milliseconds.
local SLICE = 100
--- How long one event may take in all when hooks cannot yield. The game allows 7000.
local LIMIT = 5000
--- How many coroutines may run inside of each other. Without a limit the game's stack overflows, and with
-- it the whole computer.
local MAX_NESTING = 100

local TOO_LONG = "this code ran for 5 s without yielding and was stopped (the game allows 7 s); "
  .. "call sleep(0) regularly in long loops"
local TOO_DEEP = "more than " .. MAX_NESTING .. " coroutines inside of each other"
local CANCELLED = "Terminated"

--- Instructions that a section may take; more can only mean that it was left by an error.
local MAX_SECTION = 1000000
local section = 0

--- From here on code of this program that a task calls is neither taken off the processor nor stopped, so
-- that nobody finds what it writes half written. It must be short, and neither yield nor fail.
local function begin_section()
  section = MAX_SECTION
end

local function end_section()
  section = 0
end

local function in_section(instructions)
  if section <= 0 then return false end
  section = section - instructions
  return true
end

--- Whether a hook may yield here, found out by trying.
local function hooks_may_yield()
  if not sethook then return false end
  local co = raw_create(function()
    for _ = 1, 100 do
      local _ = {}
    end
    return "done"
  end)
  local yields = 0
  local ok = raw_pcall(sethook, co, function()
    yields = yields + 1
    raw_yield(PREEMPTED)
  end, "", 50)
  if not ok then return false end
  for _ = 1, 1000 do
    local alive, value = raw_resume(co)
    if not alive then return false end
    if value == "done" then return yields > 0 end
    if value ~= PREEMPTED then return false end
  end
  return false
end

local may_yield

--- Whether the code of a task that runs now can be taken off the processor where it stands.
local function can_rest(task)
  if task.finished or running() ~= task.chain[#task.chain] then return false end
  return not isyieldable or isyieldable()
end

--- Lets others have their turn, where that is possible. Not for hooks: it may raise after the yield.
local function rest(task)
  if not can_rest(task) then return end
  if not task.cancelled then raw_yield(PREEMPTED) end
  if task.cancelled then error(CANCELLED, 0) end
end

--- Gives a coroutine of a task its hook.
-- @tparam table task with `clock` (`started`: when this event began, `slice`: how long a turn is),
-- `slice_started`, `cancelled`
local function guard(task, co)
  if not sethook then return end
  if may_yield == nil then may_yield = hooks_may_yield() end

  local function raise()
    -- Somebody may have kept a coroutine of a task that is over.
    if task.finished or in_section(1) then return end
    error(task.cancelled and CANCELLED or TOO_LONG, task.cancelled and 0 or 2)
  end

  local count, looked = LEAST_COUNT, now()
  local hook

  --- Looks at the clock more often or less, as the code needs it.
  local function adapt(time)
    local took, wanted = time - looked, count
    looked = time
    if took >= LATE then
      wanted = math.max(LEAST_COUNT, math.floor(count / 4))
    elseif took < EARLY then
      wanted = math.min(HOOK_COUNT, count * 4)
    end
    if wanted == count then return end
    count = wanted
    sethook(hook, "", count)
  end

  function hook()
    if task.finished or in_section(count) then return end
    if not task.cancelled and not task.overran then
      local time = now()
      adapt(time)
      if may_yield and time - task.slice_started >= task.clock.slice and can_rest(task) then
        raw_yield(PREEMPTED)
        looked = now()
        if not task.cancelled then return end
      elseif time - task.clock.started >= LIMIT then
        task.overran = true
      else
        return
      end
    end
    -- Not raised here: after an error that follows a yield in the same hook, CC:Tweaked's Lua calls no
    -- hook of this coroutine ever again, and nothing could stop code that catches the error.
    sethook(raise, "", 1)
  end

  local stopping = task.cancelled or task.overran
  raw_pcall(sethook, co, hook, "", stopping and 1 or count)
end

--- Replacements that are in place while a task runs.
--
-- Coroutines that it starts are guarded too, and being pre-empted inside one is not mistaken for a value
-- that it yields. After an error that was caught late, such as the game's time limit, others have their
-- turn first: code that catches that error and continues for 1.5 s takes the computer down.
local function library(task)
  local chain = task.chain

  local function caught(ok, ...)
    if not ok and now() - task.slice_started >= task.clock.slice then rest(task) end
    return ok, ...
  end

  local function settle(co, ok, first, ...)
    if ok and first == PREEMPTED then
      raw_yield(PREEMPTED)
      return settle(co, raw_resume(co))
    end
    chain[#chain] = nil
    return caught(ok, first, ...)
  end

  local function create(fn)
    local co = raw_create(fn)
    guard(task, co)
    return co
  end

  local function resume(co, ...)
    if type(co) ~= "thread" then return raw_resume(co, ...) end
    if #chain > MAX_NESTING then return false, TOO_DEEP end
    -- `false` marks a coroutine that somebody resumed behind our back: nothing below it is pre-empted.
    chain[#chain + 1] = running() == chain[#chain] and co or false
    return settle(co, raw_resume(co, ...))
  end

  local function unwrap(ok, ...)
    if ok then return ... end
    error((...), 0)
  end

  local function wrap(fn)
    local co = create(fn)
    return function(...)
      return unwrap(resume(co, ...))
    end
  end

  return {
    create = create,
    resume = resume,
    wrap = wrap,
    pcall = function(...)
      return caught(raw_pcall(...))
    end,
    xpcall = function(...)
      return caught(raw_xpcall(...))
    end,
  }
end

return {
  PREEMPTED = PREEMPTED,
  SLICE = SLICE,
  guard = guard,
  library = library,
  rest = rest,
  begin_section = begin_section,
  end_section = end_section,
  now = now,
  hooks_may_yield = hooks_may_yield,
}
