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
local GUARDED = {
  "/.settings",
  "/startup",
  "/startup.lua",
  "/mcp-computer.lua",
  "/mcp-computer.lua.old",
  "/mcp-computer.lua.new",
  "/mcp-tools",
  "/ccpm",
  config.BOOT_FILE,
}

local LEVELS = { look = {}, files = FILES, all = {} }
local WORDS = {
  look = "locked by the player: a bridge may only look",
  files = "locked by the player: a bridge may only look and change files",
}

local level, allowed

local function read()
  if level then return end
  local value = config.setting("allow")
  level = value == nil and "all" or LEVELS[value] and value or "look"
  allowed = {}
  for _, names in ipairs({ LOOK, LEVELS[level] }) do
    for _, name in ipairs(names) do
      allowed[name] = true
    end
  end
end

--- Why the program must not start: a word that is not a level was meant to lock something.
local function problem()
  local value = config.setting("allow")
  if value == nil or LEVELS[value] then return nil end
  return "mcp_computer.allow is '"
    .. tostring(value)
    .. "', but it must be look, files or all. For example: set mcp_computer.allow look"
end

--- The level, unless everything is allowed.
local function restricted_to()
  read()
  return level ~= "all" and level or nil
end

local function describe()
  return WORDS[restricted_to()]
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
    .. " is locked on this computer: its player set mcp_computer.allow to '"
    .. level
    .. "', and nothing was done. Only the player can change that, at the computer: "
    .. "set mcp_computer.allow all, then start mcp-computer again"
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

return {
  problem = problem,
  restricted_to = restricted_to,
  describe = describe,
  is_open = is_open,
  allows = allows,
  refusal = refusal,
  guards = guards,
}
