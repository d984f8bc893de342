local identity = require("mcp.identity")
local json = require("mcp.json")
local protocol = require("mcp.protocol")

local MAX_CHECKED = protocol.MAX_CHECKED

local function check_requests(params, context)
  local ids = type(params) == "table" and params.ids
  if type(ids) ~= "table" or #ids > MAX_CHECKED then
    return nil, "check-requests needs params.ids, a list of at most " .. MAX_CHECKED
  end
  return { unknown = json.array(context.jobs.unknown(ids)) }
end

return {
  ping = {
    inline = true,
    heartbeat = true,
    run = function()
      return "pong from " .. identity.describe()
    end,
  },
  ["check-requests"] = { inline = true, heartbeat = true, run = check_requests },
}
