local position = require("mcp.turtle.position")

local function new()
  local self = { position = position.new() }
  local runner

  function self.is_busy()
    return runner ~= nil and coroutine.status(runner) ~= "dead"
  end

  function self.drive(run)
    runner = coroutine.running()
    local result = table.pack(run())
    runner = nil
    return table.unpack(result, 1, result.n)
  end

  return self
end

return { new = new }
