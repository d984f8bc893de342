--- Installs mcp-computer from the bridge that served this file:
--   wget run http://<bridge>:3001/install.lua [options]
--
-- Options: --token <token>, --world <name>, --label <name>, --autostart, --no-autostart, --share, --no-share,
-- --no-start, --yes (replace a file of another program, ask nothing).

local BRIDGE = { http = "@HTTP_URL@", link = "@LINK_URL@", token = "@TOKEN@" }

local PROGRAM = "/mcp-computer.lua"
local MARK = "^%-%- mcp%-computer (%S+)"

local function fail(...)
  for _, line in ipairs({ ... }) do
    printError(line)
  end
  error("", 0)
end

local function hint(text)
  local before = term.getTextColour()
  if term.isColour() then term.setTextColour(colours.lightGrey or colours.lightGray) end
  print(text)
  term.setTextColour(before)
end

local function parse(arguments)
  local options, index = {}, 1
  while index <= #arguments do
    local word = arguments[index]
    if word == "--token" or word == "--world" or word == "--label" then
      index = index + 1
      options[string.sub(word, 3)] = arguments[index] or fail(word .. " needs a value")
    elseif word == "--autostart" then
      options.autostart = true
    elseif word == "--no-autostart" then
      options.autostart = false
    elseif word == "--share" then
      options.share = true
    elseif word == "--no-share" then
      options.share = false
    elseif word == "--no-start" then
      options.no_start = true
    elseif word == "--yes" then
      options.yes = true
    else
      fail("unknown option " .. word)
    end
    index = index + 1
  end
  return options
end

local function ask(question, default)
  write(question .. (default and " [Y/n] " or " [y/N] "))
  local answer = string.lower(read() or "")
  if answer == "" then return default end
  return string.sub(answer, 1, 1) == "y"
end

local function version_of(text)
  return text and string.match(text, MARK)
end

local function read_file(path)
  local file = fs.open(path, "rb")
  if not file then return nil end
  local text = file.readAll()
  file.close()
  return text
end

local function download()
  local url = BRIDGE.http .. "/mcp-computer.lua"
  local response, reason = http.get(url, nil, true)
  if not response then fail("Could not get " .. url .. ":", tostring(reason)) end
  local status, text = response.getResponseCode(), response.readAll()
  response.close()
  if status ~= 200 or not version_of(text) or not load(text, "=mcp-computer") then
    fail("What came from " .. url .. " is not mcp-computer.", "Is a proxy in between?")
  end
  return text
end

--- Write beside the target first: a full disk must not destroy the old version.
local function write_program(text)
  local temporary = PROGRAM .. ".new"
  local free = fs.getFreeSpace("/")
  if type(free) == "number" and free < #text + 500 then
    fail("The disk is full: " .. #text .. " bytes are needed, " .. free .. " are free.")
  end
  local ok, problem = pcall(function()
    local file = assert(fs.open(temporary, "wb"))
    local written, why = pcall(file.write, text)
    file.close()
    if not written then error(why, 0) end
  end)
  if not ok then
    pcall(fs.delete, temporary)
    problem = tostring(problem)
    if string.find(problem, "Out of space", 1, true) then problem = "the disk is full" end
    fail("Could not write " .. PROGRAM .. ": " .. problem)
  end
  fs.delete(PROGRAM)
  fs.move(temporary, PROGRAM)
  -- From an update that has not linked yet: the boot entry would put it back.
  if version_of(read_file(PROGRAM .. ".old")) then fs.delete(PROGRAM .. ".old") end
end

--- Whether a program of ours runs on this computer, and whether it can start itself again.
local function running()
  local is_new = rawget(_G, "mcp-computer") ~= nil
  return is_new or rawget(_G, "mcp") ~= nil, is_new
end

--- Has the running program start again where it is. Returns false if it does not answer.
local function restart()
  local nonce = os.epoch("utc") + math.random()
  os.queueEvent("mcp-computer", "restart", nonce, "remembered")
  local timer = os.startTimer(2)
  while true do
    local event, what, id = os.pullEvent()
    if event == "mcp-computer" and what == "answer" and id == nonce then return true end
    if event == "timer" and what == timer then return false end
  end
end

--- Starts the new program: in the place of the old one, in a tab, or here.
local function start(starts_at_boot)
  local runs, is_new = running()
  if is_new and restart() then
    print("The running mcp-computer starts again.")
    return
  end
  if runs then
    os.queueEvent("mcp-computer", "stop")
    for _ = 1, 60 do
      if running() then sleep(0.05) end
    end
  end
  if multishell and shell.openTab then
    local tab = shell.openTab(PROGRAM)
    if tab then multishell.setTitle(tab, "mcp") end
    hint("It runs in the tab mcp. To see what it does: mcp-computer status")
    return
  end
  hint(
    "Ctrl+T stops it. To have this prompt beside it: "
      .. (starts_at_boot and "reboot" or "mcp-computer share")
  )
  shell.run(PROGRAM)
end

--- Asks for a name: without one, players and AI clients see only a number.
local function name_computer(options)
  local label = options.label
  if not label and not options.yes and (os.getComputerLabel() or "") == "" then
    print("A name for this computer (Enter for none):")
    label = read()
  end
  if label and string.find(label, "%S") then os.setComputerLabel(string.sub(label, 1, 32)) end
end

local function remember(options)
  local defined = settings.define ~= nil
  local function set(name, description, value)
    if defined then settings.define(name, { description = description, type = "string" }) end
    if value then settings.set(name, value) end
  end
  local token = options.token or (BRIDGE.token ~= "" and BRIDGE.token) or nil
  -- A token is only valid for its bridge.
  if settings.get("mcp_computer.url") ~= BRIDGE.link then token = token or "" end
  set("mcp_computer.url", "The bridge that mcp-computer links to.", BRIDGE.link)
  set("mcp_computer.token", "That bridge's link token, if it requires one.", token)
  set("mcp_computer.world", "A name for this world, shown by the bridge.", options.world)
end

--- Asks once whether the screen is shared from the next boot on, when the program runs the prompt.
local function share_screen(share, asked)
  local name = "mcp_computer.share"
  if settings.define then settings.define(name, { type = "boolean" }) end
  if share == nil and asked and settings.get(name) == nil then
    share = ask("May AI clients see and type on this screen?", true)
  end
  if share == nil then return end
  settings.set(name, share)
  local ok, saved = pcall(settings.save)
  if not ok or saved == false then printError("The answer was not saved: the disk is full.") end
end

local options = parse({ ... })
local new = download()
local new_version = version_of(new)

if fs.isDir(PROGRAM) then fail(PROGRAM .. " is a folder here: move it away first.") end
local old = fs.exists(PROGRAM) and read_file(PROGRAM) or nil
local old_version = version_of(old)
if old and not old_version and not options.yes then
  if not ask(PROGRAM .. " belongs to another program. Replace it?", false) then
    fail("Nothing was changed.")
  end
end
if old == new then
  print("mcp-computer v" .. new_version .. " is already installed.")
else
  write_program(new)
  if old_version == new_version then
    print("Replaced mcp-computer v" .. new_version .. " by this bridge's copy.")
  elseif old_version then
    print("Upgraded mcp-computer v" .. old_version .. " to v" .. new_version .. ".")
  else
    print("Installed mcp-computer v" .. new_version .. " as " .. PROGRAM .. ".")
  end
end
remember(options)
name_computer(options)

local starts = fs.exists("/startup/zz-mcp-computer.lua")
if options.autostart == false then
  shell.run(PROGRAM, "--no-autostart")
  starts = false
else
  local wanted, asked = options.autostart, false
  if wanted == nil and not starts and not options.yes then
    wanted, asked = ask("Start mcp-computer whenever this computer starts?", true), true
  end
  -- An upgrade rewrites the startup file too. This remembers the settings as well.
  starts = (wanted or starts) and shell.run(PROGRAM, "--autostart")
  if starts then share_screen(options.share, asked) end
end
if not starts then shell.run(PROGRAM, "--remember") end
hint("Remove it with: mcp-computer --uninstall")
if not options.no_start then start(starts) end
