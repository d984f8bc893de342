--- The file that this program is run from, and the earlier one beside it after an update, until the new one
-- has linked (see mcp.update).

local version = require("mcp.version")

local OURS = "^%-%- mcp%-computer (%S+)"
local OLD, NEW = ".old", ".new"

-- Found out now: later the shell has other programs running, such as the prompt beside this one.
local RUNNING = shell and "/" .. shell.getRunningProgram() or "/mcp-computer.lua"
local FILE = string.gsub(RUNNING, "%" .. OLD .. "$", "")

local function is_ours(path)
  local file = fs.open(path, "r")
  if not file then return false end
  local line = file.readLine()
  file.close()
  return line ~= nil and string.find(line, OURS) ~= nil
end

local function is_pending()
  return fs.exists(FILE .. OLD) and is_ours(FILE .. OLD)
end

--- This program has linked: the old one is not needed any more.
local function confirm()
  if RUNNING == FILE and is_pending() then pcall(fs.delete, FILE .. OLD) end
end

--- Whether a version is newer than this program's. Development versions are never older.
local function is_newer(other)
  local function numbers(text)
    local major, minor, patch = string.match(tostring(text), "^(%d+)%.(%d+)%.(%d+)")
    return major and tonumber(major) * 1e8 + tonumber(minor) * 1e4 + tonumber(patch)
  end
  local theirs, own = numbers(other), numbers(version.OWN)
  return theirs ~= nil and own ~= nil and own > 0 and theirs > own
end

return {
  FILE = FILE,
  OLD = OLD,
  NEW = NEW,
  OURS = OURS,
  is_ours = is_ours,
  is_pending = is_pending,
  confirm = confirm,
  is_newer = is_newer,
}
