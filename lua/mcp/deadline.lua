--- When a job must end.

local clock = require("mcp.clock")

--- @tparam number ms from now on
-- @treturn function|nil how many seconds are left, 0 when the time is up; nil for what is not a time
local function new(ms)
  if type(ms) ~= "number" or ms <= 0 then return nil end
  local real, game = clock.milliseconds() + ms, clock.seconds() + ms / 1000
  -- By both clocks: the game's stops with the world, and runs ahead when ticks do.
  return function()
    return math.max(0, game - clock.seconds(), (real - clock.milliseconds()) / 1000)
  end
end

return { new = new }
