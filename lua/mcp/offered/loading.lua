--- The world while a file of a tool is loaded: read-only. Loading executes the file, so that a
-- program put into the folder by mistake would act.

--- Of tables whose functions act: what may be called.
local ALLOWED = {
  turtle = { "^get", "^detect", "^inspect", "^compare" },
  redstone = { "^get", "^test" },
  pocket = {},
  http = { "^checkURL", "Listener$" },
  rednet = { "^is" },
  multishell = { "^get" },
}
ALLOWED.rs = ALLOWED.redstone
local COMMANDS = { "^list$", "^getBlock" }
--- Of the others: what may not.
local REFUSED = {
  fs = { "delete", "move", "copy", "makeDir" },
  os = { "shutdown", "reboot", "setComputerLabel", "queueEvent", "setAlarm" },
  settings = { "set", "unset", "clear", "load", "save" },
  shell = { "openTab", "switchTab", "exit", "setDir", "setPath", "setAlias", "clearAlias" },
  mcp = { "tool", "remove" },
}
--- Methods of peripherals that only look.
local READS = { "^get", "^is", "^has", "^can", "^list", "^size$", "^tanks$", "^items$" }

local HINT = " is refused while this file is loaded, to see whether it describes a tool: "
  .. "what acts belongs into its run function"

local function matches(name, patterns)
  for _, pattern in ipairs(patterns) do
    if string.find(name, pattern) then return true end
  end
  return false
end

local function always()
  return ""
end

local function writes(_, mode)
  return type(mode) == "string" and string.find(mode, "[wa+]") and " for writing"
end

local function acts(_, method)
  return type(method) == "string" and not matches(method, READS) and " " .. method
end

--- Command computers have a function for each command, made from what is captured at boot.
local function commands_proxy(real, is_loading)
  local function refuse()
    error("commands" .. HINT, 2)
  end
  local refused = setmetatable({}, { __call = refuse, __index = refuse })
  return setmetatable({}, {
    __index = function(_, key)
      if not is_loading() or matches(tostring(key), COMMANDS) then return real[key] end
      return refused
    end,
  })
end

--- What to replace while a task loads a file (see mcp.overlay). The file may keep a function for
-- later: once it is loaded, such a function is again the one that it replaced.
-- @tparam table env the globals of the file
-- @tparam function is_loading
local function patches(env, is_loading)
  local list = {}

  local function guard(owner, key, name, is_refused)
    local original = owner[key]
    local function replacement(...)
      -- Looked up then: it may have another replacement, such as one that tracks a turtle.
      if not is_loading() then return (owner[key] or original)(...) end
      local how = is_refused(...)
      if how then error(name .. how .. HINT, 2) end
      return original(...)
    end
    list[#list + 1] = { owner, key, replacement }
  end

  local function guard_all(owner, name, patterns)
    for key, value in pairs(owner) do
      if type(value) == "function" and not matches(key, patterns) then
        guard(owner, key, name .. "." .. key, always)
      end
    end
  end

  for name, patterns in pairs(ALLOWED) do
    local owner = env[name]
    local is_double = name == "rs" and owner == env.redstone
    if type(owner) == "table" and not is_double then
      guard_all(owner, name, patterns)
      if type(owner.native) == "table" and owner.native ~= owner then
        guard_all(owner.native, name, patterns)
      end
    end
  end
  for name, keys in pairs(REFUSED) do
    for _, key in ipairs(type(env[name]) == "table" and keys or {}) do
      if env[name][key] then guard(env[name], key, name .. "." .. key, always) end
    end
  end
  guard(fs, "open", "fs.open", writes)
  guard(peripheral, "call", "peripheral.call", acts)
  if commands then list[#list + 1] = { _G, "commands", commands_proxy(commands, is_loading) } end
  return list
end

return { patches = patches }
