--- Label, reboot, shutdown.

local charset = require("mcp.charset")
local identity = require("mcp.identity")
local json = require("mcp.json")
local setup = require("mcp.setup")

--- The game cuts longer ones.
local MAX_LABEL = 32

local function set_label(params)
  local label = type(params) == "table" and params.label
  if type(label) ~= "string" then return nil, "set-label needs params.label, a text" end
  local text = json.is_utf8(label) and charset.from_text(label)
  if not text then return nil, "the game cannot show some characters of this label" end
  if #text > MAX_LABEL then
    return nil, "a label has at most " .. MAX_LABEL .. " characters, this one has " .. #text
  end
  if text == "" then
    os.setComputerLabel()
  else
    os.setComputerLabel(text)
  end
  return { label = identity.label() }
end

local function starts_again()
  return { autostart = setup.autostarts() }
end

return {
  ["set-label"] = { run = set_label },
  -- The answer goes out first: nothing can be said any more afterwards.
  ["reboot-computer"] = { run = starts_again, after = os.reboot },
  ["shutdown-computer"] = { run = starts_again, after = os.shutdown },
}
