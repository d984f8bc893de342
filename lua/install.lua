--- Installs mcp-computer from the bridge that served this file:
--   wget run http://<bridge>:3001/install.lua [options]
--
-- Options: --token <token>, --world <name>, --autostart, --no-autostart, --no-start, --yes (replace a
-- file that is not ours, answer nothing).

local BRIDGE = { http = "@HTTP_URL@", link = "@LINK_URL@", token = "@TOKEN@" }

local PROGRAM = "/mcp-computer.lua"
local MARK = "^%-%- mcp%-computer (%S+)"

local function fail(...)
  for _, line in ipairs({ ... }) do
    printError(line)
  end
  error("", 0)
end

local function parse(arguments)
  local options, index = {}, 1
  while index <= #arguments do
    local word = arguments[index]
    if word == "--token" or word == "--world" then
      index = index + 1
      options[string.sub(word, 3)] = arguments[index] or fail(word .. " needs a value")
    elseif word == "--autostart" then
      options.autostart = true
    elseif word == "--no-autostart" then
      options.autostart = false
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
    file.write(text)
    file.close()
  end)
  if not ok then
    pcall(fs.delete, temporary)
    fail("Could not write " .. PROGRAM .. ": " .. tostring(problem))
  end
  fs.delete(PROGRAM)
  fs.move(temporary, PROGRAM)
end

--- The program saves the settings, and keeps the token where no tool reads it.
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
  shell.run(PROGRAM, "--remember")
end

local options = parse({ ... })
local new = download()
local new_version = version_of(new)

if fs.isDir(PROGRAM) then fail(PROGRAM .. " is a folder here: move it away first.") end
local old = fs.exists(PROGRAM) and read_file(PROGRAM) or nil
local old_version = version_of(old)
if old and not old_version and not options.yes then
  if not ask(PROGRAM .. " exists and is not ours. Replace it?", false) then
    fail("Nothing was changed.")
  end
end
if old == new then
  print("mcp-computer v" .. new_version .. " is already installed.")
else
  write_program(new)
  if old_version then
    print("Upgraded mcp-computer v" .. old_version .. " to v" .. new_version .. ".")
  else
    print("Installed mcp-computer v" .. new_version .. " as " .. PROGRAM .. ".")
  end
end
remember(options)

if options.autostart == false then
  shell.run(PROGRAM, "--no-autostart")
else
  local starts = fs.exists("/startup/zz-mcp-computer.lua")
  local wanted = options.autostart
  if wanted == nil and not starts and not options.yes then
    wanted = ask("Start mcp-computer whenever this computer starts?", true)
  end
  -- An upgrade rewrites the startup file too.
  if wanted or starts then shell.run(PROGRAM, "--autostart") end
end
print("Remove it with: mcp-computer --uninstall")
if not options.no_start then shell.run(PROGRAM) end
