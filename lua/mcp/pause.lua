--- Like `sleep`, but survives a lost timer event.

local clock = require("mcp.clock")

local TICK = 0.05

local function pause(seconds)
  local timer, due = os.startTimer(seconds), clock.seconds() + seconds - TICK
  repeat
    local event, id = os.pullEvent()
  until (event == "timer" and id == timer) or clock.seconds() >= due
end

return pause
