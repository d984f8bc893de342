local arguments = require("mcp.arguments")
local brief = require("mcp.brief")
local config = require("mcp.config")
local identity = require("mcp.identity")
local lock = require("mcp.lock")
local paint = require("mcp.paint")
local running = require("mcp.running")
local update = require("mcp.update")
local version = require("mcp.version")

--- Loaded when it is needed, as mcp.agent is: not every start links, or changes what is set up.
local function setup()
  return require("mcp.setup")
end

local FULL = "Could not save the settings: the disk is full."

local function normalize_url(text)
  local url = string.gsub(text, "#.*$", "")
  url = string.gsub(url, "^http(s?)://", "ws%1://")
  if not string.find(url, "^%w+://") then url = "ws://" .. url end
  return url
end

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
  print("starts at boot: " .. (setup().autostarts() and "yes" or "no"))
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
  local found, changed = update.fetch(normalize_url(url))
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
  local owner = update.manager()
  local removed, remaining = setup().uninstall(update.PROGRAM, owner ~= nil)
  for _, name in ipairs(removed) do
    print("removed " .. name)
  end
  for _, name in ipairs(remaining) do
    printError("not removed: " .. name)
  end
  if #remaining > 0 then
    return refuse("Their disk may be full or read-only. Make space, then delete them by hand.")
  end
  if owner then
    print("The program itself belongs to " .. owner.name .. ". Remove it with:")
    paint.say("  " .. owner.remove, "code")
  else
    print("mcp-computer was removed from this computer.")
  end
  return true
end

local run_command = {
  help = function()
    local lines = { table.unpack(arguments.USAGE) }
    for _, line in ipairs(arguments.HELP) do
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
      print(
        "This prompt is no longer shared. The link stays: mcp-computer share, mcp-computer stop."
      )
      return true
    end
    print("No prompt is shared here.")
    return false
  end,
  remember = function()
    return config.save_settings() or refuse(FULL)
  end,
  uninstall = uninstall,
}

local function is_seen(parsed)
  if parsed.background then return false end
  return not multishell or multishell.getFocus() == multishell.getCurrent()
end

--- Makes way for this program if another one runs.
-- @treturn boolean whether this one may start
-- @treturn boolean|nil whether all is well if it may not
local function make_way(parsed)
  if parsed.share then
    local answer = running.ask("share")
    if answer == "shared" then
      print("This prompt is shared: mcp-computer unshare ends that.")
      return false, true
    end
    if answer and not running.is_inside() then running.stop() end
  end
  local text = running.ask("status")
  if not text then return true end
  local first = string.match(text, "^[^\n]*")
  print("mcp-computer runs already: " .. first)
  if running.is_inside() then
    return false, refuse("This prompt runs inside it. To start another one: mcp-computer stop")
  end
  if not is_seen(parsed) or not paint.ask("Restart it?") then return false, true end
  if not running.stop() then
    return false, refuse("It did not stop. Press Ctrl+T in its tab, or reboot.")
  end
  return true
end

local function autostart(parsed)
  if parsed.no_autostart then
    print(setup().disable() and "No longer starts at boot." or "It did not start at boot.")
    return parsed.url ~= nil, true
  end
  local url = parsed.url or config.get("url")
  if not url then return false, refuse("Which bridge? mcp-computer <ws-url> --autostart") end
  local ok, problem = setup().enable(update.PROGRAM)
  if not ok then return false, refuse(problem) end
  local saved = config.save({
    url = normalize_url(url),
    token = parsed.token or config.get("token"),
    share = parsed.share,
  })
  if not saved then printError(FULL) end
  print("Starts at boot (" .. setup().STARTUP_FILE .. ").")
  return parsed.url ~= nil, saved
end

local function server_name(given)
  if given == "none" then return nil, not config.save({ server = false }) and FULL or nil end
  local name = given or config.get("server")
  if not name then return nil end
  if identity.kind() ~= "command" then
    -- Remembered on a disk that is now in another computer, which was not asked to offer one.
    return nil, given and "only a command computer can offer its Minecraft server"
  end
  if not string.find(name, "^[%w_.-]+$") or #name > 32 then
    return nil, "a server's name is 1 to 32 letters, digits, dots and hyphens"
  end
  if given and not config.save({ server = name }) then return nil, FULL end
  return name
end

--- Links. Returns whether all went well, and perhaps a function that starts the program again.
local function link(parsed, words)
  local remembered = config.get("url")
  local url = parsed.url or remembered
  if not url then
    paint.say_lines(arguments.USAGE)
    return false
  end
  url = normalize_url(url)
  if parsed.trial then return true, update.restarter(url, arguments.again(words)) end
  if not http or not http.websocketAsync then
    local failure = require("mcp.explain").unavailable()
    printError(failure.text)
    paint.say_lines(failure.remedy)
    return false
  end
  local problem = lock.problem()
  if problem then return refuse(problem) end
  local may_start, well = make_way(parsed)
  if not may_start then return well end
  local server
  server, problem = server_name(parsed.server)
  if problem then return refuse(problem) end
  local known = remembered == url
  local ended_well, restarts = require("mcp.agent").run({
    url = url,
    -- A token is only valid for its bridge.
    token = parsed.token or (known and config.get("token")) or nil,
    world = parsed.world or config.get("world"),
    once = parsed.once,
    background = parsed.background,
    share = parsed.share,
    server = server,
    remember = not remembered or (known and parsed.token ~= nil),
  })
  if not restarts then return ended_well end
  local is_remembered = restarts == "remembered"
  local next_url = is_remembered and config.get("url") or url
  return ended_well, update.restarter(next_url, arguments.again(words, is_remembered))
end

--- Runs the program. Returns whether all went well, and perhaps a function that starts it again.
local function main(...)
  config.define()
  local words = { ... }
  local parsed, problem = arguments.parse(words)
  if not parsed then
    printError(problem)
    paint.say_lines(arguments.USAGE)
    return false
  end
  if shell and shell.setCompletionFunction then
    shell.setCompletionFunction(shell.getRunningProgram(), arguments.complete)
  end
  if parsed.command ~= "uninstall" then
    local ok, said = config.take_over()
    if said then (ok and print or printError)(said) end
  end
  if parsed.command then return run_command[parsed.command]() end
  if parsed.autostart or parsed.no_autostart then
    local goes_on, well = autostart(parsed)
    if not goes_on then return well end
  end
  return link(parsed, words)
end

return { main = main, normalize_url = normalize_url }
