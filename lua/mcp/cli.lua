local arguments = require("mcp.arguments")
local config = require("mcp.config")
local identity = require("mcp.identity")
local lock = require("mcp.lock")
local paint = require("mcp.paint")
local running = require("mcp.running")

local FULL = "Could not save the settings: the disk is full."

local function refuse(problem)
  printError(problem)
  return false
end

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
    paint.say_lines(require("mcp.words").USAGE)
    return false
  end
  url = arguments.normalize_url(url)
  if parsed.trial then return true, require("mcp.update").restarter(url, arguments.again(words)) end
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
  return ended_well,
    require("mcp.update").restarter(next_url, arguments.again(words, is_remembered))
end

--- Runs the program. Returns whether all went well, and perhaps a function that starts it again.
local function main(...)
  config.define()
  local words = { ... }
  local parsed, problem = arguments.parse(words)
  if not parsed then
    printError(problem)
    paint.say_lines(require("mcp.words").USAGE)
    return false
  end
  if shell and shell.setCompletionFunction then
    shell.setCompletionFunction(shell.getRunningProgram(), arguments.complete)
  end
  if parsed.command ~= "uninstall" then
    local ok, said = config.take_over()
    if said then (ok and print or printError)(said) end
  end
  if parsed.command then return require("mcp.commands")[parsed.command]() end
  if parsed.autostart or parsed.no_autostart then
    local goes_on, well = require("mcp.commands").autostart(parsed)
    if not goes_on then return well end
  end
  return link(parsed, words)
end

return { main = main }
