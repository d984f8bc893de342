--- Lets others have a turn during long work of our own.
--
-- Where hooks may yield, the scheduler does that by itself. Elsewhere it would stop the work after five
-- seconds, so whoever loops over files calls the function from `new` now and then.

local preempt = require("mcp.preempt")

local now, PREEMPTED = preempt.now, preempt.PREEMPTED
local yield = coroutine.yield

--- How long to go on before making way, in milliseconds.
local SLICE = 100

--- Makes way at once: the task goes on after what else there is to do.
local function rest()
  yield(PREEMPTED)
end

--- A function that makes way whenever the slice is over.
local function new()
  local started = now()
  return function()
    if now() - started < SLICE then return end
    rest()
    started = now()
  end
end

return { new = new, rest = rest }
