--- Label, reboot, shutdown, update.

local charset = require("mcp.charset")
local identity = require("mcp.identity")
local json = require("mcp.json")
local program = require("mcp.program")
local running = require("mcp.running")
local setup = require("mcp.setup")
local update = require("mcp.update")
local version = require("mcp.version")

local MAX_LABEL = 32

local function set_label(params)
  local label = type(params) == "table" and params.label
  if type(label) ~= "string" then return nil, "set-label needs params.label, a string" end
  local text = json.is_utf8(label) and charset.from_text(label)
  if not text then return nil, "the game cannot show some characters in this label" end
  if #text > MAX_LABEL then
    return nil,
      "a label can have at most " .. MAX_LABEL .. " characters, but this one has " .. #text
  end
  if text == "" then
    os.setComputerLabel()
  else
    os.setComputerLabel(text)
  end
  return { label = identity.label() }
end

--- Programs that start at boot are not the reason why it goes down.
local function starts_again(_, context)
  context.boot.settle()
  return { autostart = setup.autostarts() }
end

local function update_agent(_, context)
  local found, changed = update.fetch(context.url)
  if not found then return nil, changed end
  return { from = version.OWN, version = found, changed = changed }
end

--- Starts the program again if there is a new one.
local function restart()
  if program.is_pending() then os.queueEvent(running.EVENT, "restart") end
end

return {
  ["update-agent"] = { run = update_agent, after = restart },
  ["set-label"] = { run = set_label },
  -- In `after`: nothing can be sent once the computer goes down.
  ["reboot-computer"] = { run = starts_again, after = os.reboot },
  ["shutdown-computer"] = { run = starts_again, after = os.shutdown },
}
