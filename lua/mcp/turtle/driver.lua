--- Which coroutine controls this turtle, and where the turtle is.

local position = require("mcp.turtle.position")

--- The turtle of one running program.
local function new()
  local self = { position = position.new() }
  --- The coroutine that works through steps. Two at once would get in each other's way.
  local runner

  function self.is_busy()
    return runner ~= nil and coroutine.status(runner) ~= "dead"
  end

  --- Gives the calling coroutine control of the turtle for as long as `run` takes.
  function self.drive(run)
    runner = coroutine.running()
    local result = table.pack(run())
    runner = nil
    return table.unpack(result, 1, result.n)
  end

  return self
end

return { new = new }
