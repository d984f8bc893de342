--- Cooperative yielding for long loops. Where hooks may yield, the scheduler pre-empts instead.
-- Elsewhere it would abort the work after five seconds, so loops over files call the function from
-- `new` regularly.

local preempt = require("mcp.preempt")

local now, PREEMPTED = preempt.now, preempt.PREEMPTED
local yield = coroutine.yield

local SLICE = 100

local function rest()
  yield(PREEMPTED)
end

local function new()
  local started = now()
  return function()
    if now() - started < SLICE then return end
    rest()
    started = now()
  end
end

return { new = new, rest = rest }
