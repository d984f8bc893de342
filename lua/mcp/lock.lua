--- The player's limit on what a bridge may do. The setting `mcp_computer.allow` is read once at
-- start: `look` is read-only, `files` also changes files, `all` (the default) allows everything.

local config = require("mcp.config")

local LOOK = {
  "about-computer",
  "check-requests",
  "list-files",
  "list-inventory",
  "list-peripherals",
  "ping",
  "read-file",
  "read-screen",
  "search-files",
  "turtle-status",
  "watch-events",
  "watch-screen",
}
local FILES = { "copy-file", "delete-file", "edit-file", "move-file", "write-file" }

--- Files that would undo the lock, or run automatically: writable only with `all`.
local GUARDED =
  { "/.settings", "/startup", "/startup.lua", "/mcp-computer.lua", "/mcp-tools", "/ccpm" }

local level, allowed

local function read()
  if level then return end
  local value = config.get("allow") or "all"
  -- An unknown value was meant to restrict something.
  level = (value == "all" or value == "files") and value or "look"
  allowed = {}
  for _, names in ipairs({ LOOK, level == "files" and FILES or {} }) do
    for _, name in ipairs(names) do
      allowed[name] = true
    end
  end
end

local function is_open()
  read()
  return level == "all"
end

local function allows(name)
  read()
  return level == "all" or allowed[name] == true
end

local function refusal(name)
  return name
    .. " is locked on this computer: its player allows only '"
    .. level
    .. "'. To change that, type there: set mcp_computer.allow all, then start mcp-computer again"
end

local function guards(path)
  if is_open() then return nil end
  local lower = string.lower(path)
  for _, guarded in ipairs(GUARDED) do
    -- On floppy disks too: their startup runs instead of the computer's.
    local at = string.find(lower, guarded, 1, true)
    local rest = at and string.sub(lower, at + #guarded, at + #guarded)
    if at and (rest == "" or rest == "/") then
      return " must not be changed: the player of this computer allows only '" .. level .. "'"
    end
  end
  return nil
end

return { is_open = is_open, allows = allows, refusal = refusal, guards = guards }
