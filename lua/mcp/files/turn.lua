--- Lets other tasks run during long work.
--
-- Where hooks may yield, the scheduler does that by itself. Elsewhere it would stop the work after five
-- seconds, so code that loops over files calls the function from `new` regularly.

local preempt = require("mcp.preempt")

local now, PREEMPTED = preempt.now, preempt.PREEMPTED
local yield = coroutine.yield

--- How long to work before yielding, in milliseconds.
local SLICE = 100

--- Yields at once: the task continues after other work.
local function rest()
  yield(PREEMPTED)
end

--- Makes a function that yields whenever the time slice is used up.
local function new()
  local started = now()
  return function()
    if now() - started < SLICE then return end
    rest()
    started = now()
  end
end

return { new = new, rest = rest }
