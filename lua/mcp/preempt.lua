--- Keeps foreign code from using up the seven seconds that the game gives the whole computer. Every
-- coroutine of a task has a count hook. Where hooks may yield (CC:Tweaked's Lua), a task is
-- pre-empted and continues later. Elsewhere it gets an error in time, and again at every
-- instruction until it has unwound, however often it is caught.

local clock = require("mcp.clock")
local raw = require("mcp.raw")

local raw_create, raw_resume, raw_yield = raw.create, raw.resume, raw.yield
local running, isyieldable = coroutine.running, coroutine.isyieldable
local raw_pcall, raw_xpcall = raw.pcall, raw.xpcall
local now = clock.milliseconds
local sethook = debug and debug.sethook

local PREEMPTED = {}

--- Most and fewest instructions between two clock checks. Calls into the game count as one
-- instruction, so code with many slow calls is checked more often.
local HOOK_COUNT, LEAST_COUNT = 1000, 50
--- Milliseconds between two checks above and below which the count is adapted.
local LATE, EARLY = 100, 10
local SLICE = 100
--- Milliseconds for one event when hooks cannot yield. The game allows 7000.
local LIMIT = 5000
--- Deeper nesting of coroutines overflows the game's stack, and crashes the computer.
local MAX_NESTING = 100

local TOO_LONG = "this code ran for 5 s without yielding and was stopped (the game allows 7 s); "
  .. "call sleep(0) regularly in long loops"
local TOO_DEEP = "more than " .. MAX_NESTING .. " coroutines inside of each other"
local CANCELLED = "Terminated"

--- Instructions in a section; more can only mean that it was left by an error.
local MAX_SECTION = 1000000
local section = 0

--- Begins a critical section: this program's code called by a task is neither pre-empted nor
-- stopped, so that no state is left half written. It must be short, and neither yield nor fail.
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

--- Detected by trying.
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

local function can_rest(task)
  if task.finished or running() ~= task.chain[#task.chain] then return false end
  return not isyieldable or isyieldable()
end

--- Not for hooks: it may raise after the yield.
local function rest(task)
  if not can_rest(task) then return end
  if not task.cancelled then raw_yield(PREEMPTED) end
  if task.cancelled then error(CANCELLED, 0) end
end

local function guard(task, co)
  if not sethook then return end
  if may_yield == nil then may_yield = hooks_may_yield() end

  local function raise()
    -- A coroutine may outlive its task.
    if task.finished or in_section(1) then return end
    error(task.cancelled and CANCELLED or TOO_LONG, task.cancelled and 0 or 2)
  end

  local count, looked = LEAST_COUNT, now()
  local hook

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
    -- Not raised here: after an error that follows a yield in the same hook, CC:Tweaked's Lua never
    -- calls a hook of this coroutine again, and nothing could stop code that catches the error.
    sethook(raise, "", 1)
  end

  local stopping = task.cancelled or task.overran
  raw_pcall(sethook, co, hook, "", stopping and 1 or count)
end

--- Patches `coroutine` and `pcall` for a task. Coroutines it creates are guarded too, and being
-- pre-empted inside one is not mistaken for a value that it yields. After a late error, such as
-- the game's time limit, others have their turn first: code that catches that error and continues
-- for 1.5 s takes the computer down.
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
    -- `false`: resumed without our wrapper, so nothing below it is pre-empted.
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
