--- Starting with the computer, and leaving it again.

local arguments = require("mcp.arguments")
local brief = require("mcp.brief")
local config = require("mcp.config")
local keys = require("mcp.keys")
local program_file = require("mcp.program")

--- Where the installer puts the program.
local INSTALLED = "/mcp-computer.lua"
local STARTUP_DIR = "/startup"
--- Sorts last: see the script below.
local STARTUP_FILE = "/startup/zz-mcp-computer.lua"
local MARK = "-- mcp-computer: written by mcp-computer --autostart"

-- Without tabs there is one screen, and startup files run one after another before the prompt. So the
-- prompt is run from here, beside the program, and files that sort after this one are run first. After an
-- update the old program is started, which watches the new one (see mcp.update).
local SCRIPT = MARK
  .. [[

-- Remove it with: mcp-computer --no-autostart
local program, words = %q, %q
local share = settings.get("mcp_computer.share") == true
local old = program .. ".old"
local options = ""
if fs.exists(old) then
  if fs.exists(program) then
    program, options = old, "--trial"
  else
    fs.move(old, program)
  end
end
if not fs.exists(program) then return end
if shell.setCompletionFunction then
  shell.setCompletionFunction(shell.resolveProgram(%q), function(_, _, text)
    local rests = {}
    for word in words:gmatch("%%S+") do
      if #word > #text and word:sub(1, #text) == text then rests[#rests + 1] = word:sub(#text + 1) end
    end
    return rests
  end)
end
if not share and multishell and shell.openTab then
  local tab = shell.openTab(program, options)
  if tab then multishell.setTitle(tab, "mcp") end
  return
end
local own = fs.getName(shell.getRunningProgram())
for _, name in ipairs(fs.list("/startup")) do
  local path = "/startup/" .. name
  if name > own and not fs.isDir(path) then shell.run(path) end
end
if share then
  shell.run(program, "--share", options)
  return
end
print("mcp-computer runs in the background: mcp-computer status")
parallel.waitForAny(function()
  shell.run(program, "--background", options)
  while true do os.pullEventRaw("mcp-computer never") end
end, function()
  shell.run("shell")
end)
os.shutdown()
]]

local function is_ours(path)
  local file = fs.open(path, "r")
  if not file then return false end
  local line = file.readLine()
  file.close()
  return line == MARK
end

local function autostarts()
  return fs.exists(STARTUP_FILE) and is_ours(STARTUP_FILE)
end

--- In entries of earlier versions, not in a setting.
local function was_shared()
  local file = autostarts() and fs.open(STARTUP_FILE, "r")
  if not file then return false end
  local text = file.readAll() or ""
  file.close()
  return string.find(text, 'local program, share, words = "[^"\n]*", true') ~= nil
end

local function enable(program)
  if fs.exists(STARTUP_DIR) and not fs.isDir(STARTUP_DIR) then
    return nil,
      "/startup is your own file, so a folder /startup/ cannot be created. Rename it first: "
        .. "move /startup /startup.lua"
  end
  if fs.exists(STARTUP_FILE) and not is_ours(STARTUP_FILE) then
    return nil, STARTUP_FILE .. " belongs to another program: move it somewhere else first."
  end
  if config.setting("share") == nil and was_shared() then config.save({ share = true }) end
  local ok, problem = pcall(function()
    fs.makeDir(STARTUP_DIR)
    local file = assert(fs.open(STARTUP_FILE, "w"))
    local text = string.format(SCRIPT, program, table.concat(arguments.OFFERED, " "), program)
    local written, why = pcall(file.write, text)
    file.close()
    if not written then error(why, 0) end
  end)
  if not ok then
    if fs.exists(STARTUP_FILE) then pcall(fs.delete, STARTUP_FILE) end
    return nil, "Could not write " .. STARTUP_FILE .. ": " .. brief.write_problem(problem)
  end
  return true
end

local function disable()
  if not autostarts() then return false end
  fs.delete(STARTUP_FILE)
  if #fs.list(STARTUP_DIR) == 0 then fs.delete(STARTUP_DIR) end
  return true
end

--- From the file: the settings API may have unsaved values.
local function stored_settings()
  local file = fs.open("/.settings", "rb")
  if not file then return "" end
  local text = file.readAll()
  file.close()
  return text or ""
end

--- Whether settings hold nothing but what the server gives every computer.
local function are_defaults(text)
  local stored = textutils.unserialize(text)
  if type(stored) ~= "table" then return false end
  local defaults = "," .. tostring(_CC_DEFAULT_SETTINGS or "") .. ","
  for name, value in pairs(stored) do
    local pair = "," .. tostring(name) .. "=" .. tostring(value) .. ","
    if not string.find(defaults, pair, 1, true) then return false end
  end
  return true
end

--- Removes the program and all that it keeps.
-- @tparam boolean managed leave the program to the package manager that it belongs to
-- @treturn table the names of what was removed
-- @treturn table the names of what could not be
local function uninstall(program, managed)
  local removed, remaining = {}, {}
  local function note(name, is_left)
    local list = is_left and remaining or removed
    list[#list + 1] = name
  end
  local starts = autostarts()
  pcall(disable)
  if starts then note(STARTUP_FILE, fs.exists(STARTUP_FILE)) end
  -- Files first: they make the space that saving the settings may need.
  local position = require("mcp.turtle.position")
  local files =
    { keys.FILE, keys.NEW, keys.OLD_ID, keys.BEFORE, position.FILES[1], position.FILES[2] }
  files[#files + 1] = config.BOOT_FILE
  if not managed then
    files[#files + 1] = program
  elseif program_file.is_ours(INSTALLED) then
    files[#files + 1] = INSTALLED
  end
  for _, suffix in ipairs({ program_file.OLD, program_file.NEW }) do
    if fs.exists(program .. suffix) and program_file.is_ours(program .. suffix) then
      files[#files + 1] = program .. suffix
    end
  end
  for _, path in ipairs(files) do
    if fs.exists(path) then
      pcall(fs.delete, path)
      note(path, fs.exists(path))
    end
  end
  local stored = stored_settings()
  for _, name in pairs(config.NAMES) do
    settings.unset(name)
    if settings.undefine then settings.undefine(name) end
  end
  config.save_settings()
  -- The file is not there before the first setting.
  if are_defaults(stored_settings()) then pcall(fs.delete, "/.settings") end
  local left = stored_settings()
  for _, name in pairs(config.NAMES) do
    local quoted = '"' .. name .. '"'
    local was = string.find(stored, quoted, 1, true) ~= nil
    if was then note("setting " .. name, string.find(left, quoted, 1, true) ~= nil) end
  end
  table.sort(removed)
  table.sort(remaining)
  return removed, remaining
end

return {
  autostarts = autostarts,
  enable = enable,
  disable = disable,
  uninstall = uninstall,
  STARTUP_FILE = STARTUP_FILE,
}
