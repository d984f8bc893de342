local exec = require("mcp.exec")
local values = require("mcp.values")

return {
  ["exec-lua"] = {
    capture = true,
    patches = function(context)
      return context.turtle and context.turtle.position.patches()
    end,
    run = function(params)
      if type(params) ~= "table" or type(params.code) ~= "string" then
        return nil, "exec-lua needs params.code, the Lua source as a string"
      end
      local chunk, problem = exec.compile(params.code)
      if not chunk then return nil, "syntax error, nothing ran: " .. tostring(problem) end
      return { returns = values.describe(table.pack(chunk())) }
    end,
  },
}
