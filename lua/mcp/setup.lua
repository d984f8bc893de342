local config = require("mcp.config")
local keys = require("mcp.keys")
local position = require("mcp.turtle.position")

local STARTUP_DIR = "/startup"
--- Sorts last: see the script below.
local STARTUP_FILE = "/startup/zz-mcp-computer.lua"
local MARK = "-- mcp-computer: written by mcp-computer --autostart"

-- Without tabs, startup files run one after another before the prompt. So this script runs the
-- prompt itself, in parallel to the program, after the files that sort after it.
local SCRIPT = MARK
  .. [[

-- Remove it with: mcp-computer --no-autostart
local program, share = %q, %s
if not fs.exists(program) then return end
if not share and multishell and shell.openTab then
  local tab = shell.openTab(program)
  if tab then multishell.setTitle(tab, "mcp") end
  return
end
local own = fs.getName(shell.getRunningProgram())
for _, name in ipairs(fs.list("/startup")) do
  local path = "/startup/" .. name
  if name > own and not fs.isDir(path) then shell.run(path) end
end
if share then
  shell.run(program, "--share")
  return
end
print("mcp-computer runs in the background: mcp-computer status")
parallel.waitForAny(function()
  shell.run(program, "--background")
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

local function enable(program, share)
  if fs.exists(STARTUP_DIR) and not fs.isDir(STARTUP_DIR) then
    return nil,
      "/startup is your own file, so a folder /startup/ cannot be created. Rename it first:\n"
        .. "  move /startup /startup.lua"
  end
  if fs.exists(STARTUP_FILE) and not is_ours(STARTUP_FILE) then
    return nil, STARTUP_FILE .. " is not ours: move it somewhere else first."
  end
  local ok, problem = pcall(function()
    fs.makeDir(STARTUP_DIR)
    local file = assert(fs.open(STARTUP_FILE, "w"))
    file.write(string.format(SCRIPT, program, tostring(share == true)))
    file.close()
  end)
  if not ok then return nil, "Could not write " .. STARTUP_FILE .. ": " .. tostring(problem) end
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

local function uninstall(program)
  local removed, remaining = {}, {}
  local function note(name, is_left)
    local list = is_left and remaining or removed
    list[#list + 1] = name
  end
  local starts = autostarts()
  pcall(disable)
  if starts then note(STARTUP_FILE, fs.exists(STARTUP_FILE)) end
  -- Files first: this frees the space that saving the settings may need.
  local files = { keys.FILE, keys.NEW, keys.OLD_ID, position.FILES[1], position.FILES[2], program }
  for _, path in ipairs(files) do
    if fs.exists(path) then
      pcall(fs.delete, path)
      note(path, fs.exists(path))
    end
  end
  local stored = stored_settings()
  for _, name in pairs(config.NAMES) do
    settings.unset(name)
  end
  config.save_settings()
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
