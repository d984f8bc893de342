--- The player's lock: the limit of what this computer does for a bridge.
--
-- The setting `mcp_computer.allow` is read once, when the program starts: `look` only looks, `files` also
-- changes files, `all` (the default) does everything.

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

--- Files that would undo the lock, or run by themselves: they cannot be changed unless all is allowed.
local GUARDED =
  { "/.settings", "/startup", "/startup.lua", "/mcp-computer.lua", "/mcp-tools", "/ccpm" }

local level, allowed

local function read()
  if level then return end
  local value = config.get("allow") or "all"
  -- An unknown word was meant to lock something.
  level = (value == "all" or value == "files") and value or "look"
  allowed = {}
  for _, names in ipairs({ LOOK, level == "files" and FILES or {} }) do
    for _, name in ipairs(names) do
      allowed[name] = true
    end
  end
end

--- Whether everything is allowed.
local function is_open()
  read()
  return level == "all"
end

--- Whether a request is served.
local function allows(name)
  read()
  return level == "all" or allowed[name] == true
end

--- The answer to a request that is not served.
local function refusal(name)
  return name
    .. " is locked on this computer: its player allows only '"
    .. level
    .. "'. To change that, type there: set mcp_computer.allow all, then start mcp-computer again"
end

--- Why a path must not be changed; nil when it may.
local function guards(path)
  if is_open() then return nil end
  local lower = string.lower(path)
  for _, guarded in ipairs(GUARDED) do
    -- On floppy disks too, whose startup runs instead of the computer's own.
    local at = string.find(lower, guarded, 1, true)
    local rest = at and string.sub(lower, at + #guarded, at + #guarded)
    if at and (rest == "" or rest == "/") then
      return " must not be changed: the player of this computer allows only '" .. level .. "'"
    end
  end
  return nil
end

return { is_open = is_open, allows = allows, refusal = refusal, guards = guards }
