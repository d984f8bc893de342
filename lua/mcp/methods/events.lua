--- Events that the bridge wants to hear of.

local events = require("mcp.events")

return {
  ["watch-events"] = {
    inline = true,
    run = function(params)
      return events.forwarder.watch(type(params) == "table" and params.watches or nil)
    end,
  },
}
