--- A deadline that survives a lost timer event: the game's queue may be full, so the owner checks
-- `rang` on every event.

local clock = require("mcp.clock")

--- Timers are rounded to ticks, and may be that much early.
local TICK = 0.05

local function new()
  local timer, due
  --- Its event may already be queued, and is still ours.
  local cancelled
  local self = {}

  function self.clear()
    if timer then
      os.cancelTimer(timer)
      cancelled = timer
    end
    timer, due = nil, nil
  end

  function self.set(seconds)
    self.clear()
    timer, due = os.startTimer(seconds), clock.seconds() + seconds - TICK
  end

  function self.is_set()
    return due ~= nil
  end

  function self.take(id)
    if id == nil then return false end
    if id == cancelled then return true end
    if id ~= timer then return false end
    timer, due = nil, -math.huge
    return true
  end

  function self.rang()
    if not due or clock.seconds() < due then return false end
    self.clear()
    return true
  end

  return self
end

return { new = new }
