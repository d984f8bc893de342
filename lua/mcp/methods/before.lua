local turns = require("mcp.files.turn")

return {
  ["kept-files"] = {
    run = function(params, context)
      return context.before.collect(type(params) == "table" and params or {}, turns.new())
    end,
  },
}
