local agent = require("mcp.agent")
local config = require("mcp.config")
local explain = require("mcp.explain")
local identity = require("mcp.identity")
local scheduler = require("mcp.scheduler")
local setup = require("mcp.setup")
local version = require("mcp.version")

local USAGE = {
  "Usage:",
  "  mcp-computer <ws-url>",
  "  mcp-computer -url <ws-url>",
  "  mcp-computer --version",
  "  mcp-computer --help",
}

local HELP = {
  "Links this computer to a ccbridge. Anyone who",
  "controls the bridge controls this computer.",
  "  --token <token>  the bridge's link token",
  "  --world <name>   a name for this world",
  "  --server <name>  offer this Minecraft server too",
  "  --once           do not reconnect",
  "  --autostart      start at every boot",
  "  --no-autostart   no longer start at boot",
  "  --uninstall      remove the program",
  "  status           what the running one does",
  "  stop             stop the running one",
  "  share, unshare   let the bridge see this prompt",
  "Without a URL it links to the one it remembers.",
}

local commands = {
  ["--help"] = "help",
  ["-help"] = "help",
  help = "help",
  ["--version"] = "version",
  ["-version"] = "version",
  version = "version",
  status = "status",
  stop = "stop",
  unshare = "unshare",
  ["--uninstall"] = "uninstall",
  ["--remember"] = "remember",
}

local valued = { ["-url"] = "url", ["--url"] = "url", ["--token"] = "token", ["--world"] = "world" }
valued["--server"] = "server"
local flags = {
  ["--once"] = "once",
  ["--background"] = "background",
  ["--share"] = "share",
  share = "share",
  ["--autostart"] = "autostart",
  ["--no-autostart"] = "no_autostart",
}

local function parse(arguments)
  local parsed, index = {}, 1
  while index <= #arguments do
    local word = arguments[index]
    if commands[word] and not parsed.command then
      parsed.command = commands[word]
    elseif valued[word] then
      index = index + 1
      if not arguments[index] then return nil, word .. " needs a value" end
      parsed[valued[word]] = arguments[index]
    elseif flags[word] then
      parsed[flags[word]] = true
    elseif string.sub(word, 1, 1) == "-" then
      return nil, "unknown option " .. word
    elseif parsed.url then
      return nil, "more than one URL"
    else
      parsed.url = word
    end
    index = index + 1
  end
  return parsed
end

local function normalize_url(text)
  local url = string.gsub(text, "#.*$", "")
  url = string.gsub(url, "^http(s?)://", "ws%1://")
  if not string.find(url, "^%w+://") then url = "ws://" .. url end
  return url
end

local function print_lines(lines)
  for _, line in ipairs(lines) do
    print(line)
  end
end

local function program_path()
  return shell and "/" .. shell.getRunningProgram() or "/mcp-computer.lua"
end

local function ask(what)
  local nonce = os.epoch("utc") + math.random()
  os.queueEvent(scheduler.EVENT, what, nonce)
  local timer = os.startTimer(1)
  while true do
    local event, a, b, text = os.pullEvent()
    if event == scheduler.EVENT and a == "answer" and b == nonce then
      os.cancelTimer(timer)
      return text
    elseif event == "timer" and a == timer then
      return nil
    end
  end
end

local function status()
  print(ask("status") or "mcp-computer is not running.")
  local url = config.get("url")
  print("bridge: " .. (url and explain.public_url(url) or "none remembered"))
  print("starts at boot: " .. (setup.autostarts() and "yes" or "no"))
  return true
end

local run_command = {
  help = function()
    print_lines(USAGE)
    print_lines(HELP)
    return true
  end,
  version = function()
    print("mcp-computer v" .. version.text())
    return true
  end,
  status = status,
  stop = function()
    os.queueEvent(scheduler.EVENT, "stop")
    print("Asked the running mcp-computer to stop.")
    return true
  end,
  unshare = function()
    if ask("unshare") == "not shared" then
      print(
        "This prompt is no longer shared. The link stays: mcp-computer share, mcp-computer stop."
      )
      return true
    end
    print("No prompt is shared here.")
    return false
  end,
  remember = function()
    if config.save_settings() then return true end
    printError("Could not save the settings: is the disk full?")
    return false
  end,
  uninstall = function()
    os.queueEvent(scheduler.EVENT, "stop")
    local removed, remaining = setup.uninstall(program_path())
    for _, name in ipairs(removed) do
      print("removed " .. name)
    end
    if #remaining == 0 then
      print("mcp-computer was removed from this computer.")
      return true
    end
    for _, name in ipairs(remaining) do
      printError("not removed: " .. name)
    end
    printError("Their disk may be full or read-only. Make space, then delete them by hand.")
    return false
  end,
}

--- Shares the prompt if it runs inside the program, otherwise stops the program, so that the caller
-- can start one with a shared prompt.
local function share_here()
  if rawget(_G, "mcp") == nil then return false end
  local answer = ask("share")
  if answer == "shared" then
    print("This prompt is shared: mcp-computer unshare ends that.")
    return true
  end
  if answer then
    os.queueEvent(scheduler.EVENT, "stop")
    sleep(0.5)
  end
  return false
end

--- Returns whether to continue and link.
local function autostart(parsed)
  if parsed.no_autostart then
    print(setup.disable() and "No longer starts at boot." or "It did not start at boot.")
    return parsed.url ~= nil, true
  end
  local url = parsed.url or config.get("url")
  if not url then
    printError("Which bridge? mcp-computer <ws-url> --autostart")
    return false, false
  end
  local ok, problem = setup.enable(program_path(), parsed.share)
  if not ok then
    printError(problem)
    return false, false
  end
  local saved =
    config.save({ url = normalize_url(url), token = parsed.token or config.get("token") })
  if not saved then printError("Could not save the settings: is the disk full?") end
  print("Starts at boot (" .. setup.STARTUP_FILE .. ").")
  return parsed.url ~= nil, saved
end

local function server_name(given)
  if given == "none" then
    config.save({ server = false })
    return nil
  end
  local name = given or config.get("server")
  if not name then return nil end
  if identity.kind() ~= "command" then
    -- Saved on a disk that was moved to another computer.
    return nil, given and "only a command computer can offer its Minecraft server"
  end
  if not string.find(name, "^[%w_.-]+$") or #name > 32 then
    return nil, "a server's name is 1 to 32 letters, digits, dots and hyphens"
  end
  if given then config.save({ server = name }) end
  return name
end

local function main(...)
  config.define()
  local parsed, problem = parse({ ... })
  if not parsed then
    printError(problem)
    print_lines(USAGE)
    return false
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
  local remembered = config.get("url")
  local url = parsed.url or remembered
  if not url then
    print_lines(USAGE)
    return false
  end
  local failure = explain.unavailable()
  if failure then
    printError(failure.text)
    print_lines(failure.remedy)
    return false
  end
  local server
  server, problem = server_name(parsed.server)
  if problem then
    printError(problem)
    return false
  end
  if parsed.share and share_here() then return true end
  url = normalize_url(url)
  local known = remembered == url
  return agent.run({
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
end

return { main = main, parse = parse, normalize_url = normalize_url }
