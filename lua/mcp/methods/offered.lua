local definition = require("mcp.offered.definition")
local values = require("mcp.values")

local MAX_MESSAGE = 256

local function tool_context(context)
  return {
    progress = function(done, total, message)
      if type(done) ~= "number" then error("progress needs a number", 2) end
      context.progress({
        progress = done,
        total = type(total) == "number" and total or nil,
        message = message ~= nil and values.cut(tostring(message), MAX_MESSAGE) or nil,
      })
    end,
    --- Bypasses a redirected terminal.
    output = function(...)
      local parts = table.pack(...)
      for index = 1, parts.n do
        parts[index] = tostring(parts[index])
      end
      context.terminal.buffer.append(table.concat(parts, "\t") .. "\n")
    end,
  }
end

return {
  ["call-tool"] = {
    capture = true,
    patches = function(context)
      return context.turtle and context.turtle.position.patches()
    end,
    run = function(params, context)
      local name = type(params) == "table" and params.name
      local tool = type(name) == "string" and context.tools.find(name)
      if not tool then return nil, "this computer offers no tool named " .. tostring(name) end
      local args, problem = definition.arguments(tool, params.arguments)
      if not args then return nil, problem end
      return { returns = values.describe(table.pack(tool.run(args, tool_context(context)))) }
    end,
  },
}
