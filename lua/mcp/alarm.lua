--- A moment to wait for. Its timer may get lost in the game's full event queue, so a waiting part asks on
-- every event whether the moment has come.

local clock = require("mcp.clock")

--- Timers are rounded to ticks, and may be that much early.
local TICK = 0.05

local function new()
  local timer, due
  --- The last timer that was cancelled: its event may be in the queue already, and is still ours.
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

  --- Takes the event of a timer. Returns whether it was this one's.
  function self.take(id)
    if id == nil then return false end
    if id == cancelled then return true end
    if id ~= timer then return false end
    timer, due = nil, -math.huge
    return true
  end

  --- Whether the moment has come; true only once.
  function self.rang()
    if not due or clock.seconds() < due then return false end
    self.clear()
    return true
  end

  return self
end

return { new = new }
