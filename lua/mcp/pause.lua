--- Waits like `sleep`, but not on one timer alone: the game may lose its event.

local clock = require("mcp.clock")

local TICK = 0.05

local function pause(seconds)
  local timer, due = os.startTimer(seconds), clock.seconds() + seconds - TICK
  repeat
    local event, id = os.pullEvent()
  until (event == "timer" and id == timer) or clock.seconds() >= due
end

return pause
