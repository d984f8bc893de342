local clock = require("mcp.clock")

local function new(ms)
  if type(ms) ~= "number" or ms <= 0 then return nil end
  local real, game = clock.milliseconds() + ms, clock.seconds() + ms / 1000
  -- Checks both clocks: game time stops with the world, and runs ahead when ticks do.
  return function()
    return math.max(0, game - clock.seconds(), (real - clock.milliseconds()) / 1000)
  end
end

return { new = new }
