--- Waits like `sleep`, but not on one timer alone: the game may lose its event.

local TICK = 0.05

local function pause(seconds)
  local timer, due = os.startTimer(seconds), os.clock() + seconds - TICK
  repeat
    local event, id = os.pullEvent()
  until (event == "timer" and id == timer) or os.clock() >= due
end

return pause
