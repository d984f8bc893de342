--- The commands that do not link: what they do. Each returns whether all went well.

local arguments = require("mcp.arguments")
local brief = require("mcp.brief")
local config = require("mcp.config")
local lock = require("mcp.lock")
local paint = require("mcp.paint")
local program = require("mcp.program")
local running = require("mcp.running")
local setup = require("mcp.setup")
local update = require("mcp.update")
local version = require("mcp.version")
local words = require("mcp.words")

local FULL = "Could not save the settings: the disk is full."
--- Where package managers put the program.
local PACKAGED = { "/ccpm/bin/mcp-computer.lua", "/programs/mcp-computer.lua" }

local function refuse(problem)
  printError(problem)
  return false
end

local function print_status(text)
  local style = string.find(text, "^linked to ") and "good" or "error"
  for line in string.gmatch(text, "[^\n]+") do
    paint.say(line, style)
    style = nil
  end
end

local function status()
  local text = running.ask("status")
  if text then
    print_status(text)
  else
    print("mcp-computer is not running.")
    local locked = lock.problem() or lock.describe()
    if locked then print(locked) end
  end
  local url = config.get("url")
  print("bridge: " .. (url and brief.public_url(url) or "none remembered"))
  print("starts at boot: " .. (setup.autostarts() and "yes" or "no"))
  return true
end

local function stop()
  if running.is_inside() then print("mcp-computer stops, and with it what runs inside.") end
  local stopped = running.stop()
  if stopped == nil then return refuse("mcp-computer is not running.") end
  if not stopped then
    return refuse("mcp-computer did not stop. Press Ctrl+T in its tab, or reboot.")
  end
  print("mcp-computer stopped.")
  return true
end

local function get_update()
  local url = config.get("url")
  if not url then return refuse("Which bridge? Link once: mcp-computer <ws-url>") end
  local found, changed = update.fetch(arguments.normalize_url(url))
  if not found then return refuse(changed) end
  if not changed then
    print("mcp-computer v" .. found .. " is up to date.")
    return true
  end
  print("Updated mcp-computer v" .. version.OWN .. " to v" .. found .. ".")
  if running.ask("restart") then
    print("The running one starts again.")
  else
    print("Start it with: mcp-computer")
  end
  return true
end

local function uninstall()
  -- What runs inside the running program would end before it is done.
  if running.is_inside() then
    return refuse("This prompt runs inside mcp-computer. First type: mcp-computer stop")
  end
  if running.stop() == false then
    return refuse("mcp-computer runs and did not stop: nothing was removed.")
  end
  local owner = update.manager(program.FILE)
  local removed, remaining = setup.uninstall(program.FILE, owner ~= nil)
  for _, name in ipairs(removed) do
    print("removed " .. name)
  end
  for _, name in ipairs(remaining) do
    printError("not removed: " .. name)
  end
  if #remaining > 0 then
    return refuse("Their disk may be full or read-only. Make space, then delete them by hand.")
  end
  if not owner then print("mcp-computer was removed from this computer.") end
  for _, file in ipairs(PACKAGED) do
    local manager = update.manager(file)
    if manager and fs.exists(file) and program.is_ours(file) then
      print(file .. " belongs to " .. manager.name .. ". Remove it with:")
      paint.say("  " .. manager.remove, "code")
    end
  end
  return true
end

--- @treturn boolean whether to link
-- @treturn boolean whether all is well
local function autostart(parsed)
  if parsed.no_autostart then
    print(setup.disable() and "No longer starts at boot." or "It did not start at boot.")
    return parsed.url ~= nil, true
  end
  local url = parsed.url or config.get("url")
  if not url then return false, refuse("Which bridge? mcp-computer <ws-url> --autostart") end
  local ok, problem = setup.enable(program.FILE)
  if not ok then return false, refuse(problem) end
  local saved = config.save({
    url = arguments.normalize_url(url),
    token = parsed.token or config.get("token"),
    share = parsed.share,
  })
  if not saved then printError(FULL) end
  print("Starts at boot (" .. setup.STARTUP_FILE .. ").")
  return parsed.url ~= nil, saved
end

return {
  help = function()
    local lines = { table.unpack(words.USAGE) }
    for _, line in ipairs(words.HELP) do
      lines[#lines + 1] = line
    end
    -- A job has no keyboard.
    paint.page(lines, running.is_inside())
    return true
  end,
  version = function()
    print("mcp-computer v" .. version.text())
    return true
  end,
  status = status,
  stop = stop,
  update = get_update,
  unshare = function()
    if running.ask("unshare") == "not shared" then
      print("This prompt is no longer shared, but still linked. To end that: mcp-computer stop")
      return true
    end
    print("No prompt is shared here.")
    return false
  end,
  remember = function()
    return config.save_settings() or refuse(FULL)
  end,
  uninstall = uninstall,
  autostart = autostart,
}
