--- Being there.

local identity = require("mcp.identity")

return {
  ping = {
    inline = true,
    run = function()
      return "pong from " .. identity.describe()
    end,
  },
}
