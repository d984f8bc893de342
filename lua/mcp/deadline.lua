local alarm = require("mcp.alarm")
local clock = require("mcp.clock")

local LONGEST_WAIT = 3600

local function new(ms)
  if type(ms) ~= "number" or ms <= 0 then return nil end
  local real, game = clock.milliseconds() + ms, clock.seconds() + ms / 1000
  -- Checks both clocks: game time stops with the world, and runs ahead when ticks do.
  return function()
    return math.max(0, game - clock.seconds(), (real - clock.milliseconds()) / 1000)
  end
end

--- Stops the jobs of a list that are over their time.
-- @tparam function stop what stops a task
local function keeper(jobs, stop)
  local next_look = alarm.new()
  local self = { clear = next_look.clear, timer = next_look.take }

  local function time_left(job)
    if not job.time_left or not job.task or job.cancelled then return math.huge end
    local left = job.time_left()
    if left > 0 then return left end
    job.cancelled, job.timed_out = true, true
    stop(job.task)
    return math.huge
  end

  function self.look()
    local least = math.huge
    next_look.rang()
    for _, job in ipairs({ table.unpack(jobs) }) do
      least = math.min(least, time_left(job))
    end
    if least == math.huge then return next_look.clear() end
    if not next_look.is_set() then next_look.set(math.min(least, LONGEST_WAIT)) end
  end

  return self
end

return { new = new, keeper = keeper }
