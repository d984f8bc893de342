--- The requests that this program answers, by name.
--
-- A group is a module that returns `{ [name] = method }`. A method has `run(params, context)`, which returns
-- a result that JSON can carry, or nil and a message. It runs in its own coroutine and may yield.
-- The context has `id`, the request's, and the parts of this program (see mcp.agent), such as `events`
-- (mcp.events), `programs` (mcp.mirror.programs), `jobs` (mcp.jobs), `turtle` (mcp.turtle.driver, or nil),
-- `server` (mcp.server, or nil), `url` (the bridge's). Nothing that a method changes lives in a module.
-- A job also has `progress(described)`.
-- `inline = true`: it never yields and is answered at once, whatever else runs. `heartbeat = true`: its id
-- need not be remembered.
-- `capture = true`: its output is streamed and put into the result, and errors carry a traceback. A
-- captured one may return nil, a message and a result, and have `patches(context)`: functions that are
-- replaced while it runs (see mcp.overlay).
-- `open(params, context)`: what captures it instead (see mcp.mirror.programs), which `run` finds in the
-- context as `terminal`; or nil and a message, and nothing runs.
-- `after`: called some time after a successful answer was sent.

local lock = require("mcp.lock")

--- The methods of each group: a group is loaded when one of them is first asked for.
local groups = {
  ["mcp.methods.core"] = "check-requests ping",
  ["mcp.methods.about"] = "about-computer",
  ["mcp.methods.power"] = "reboot-computer set-label shutdown-computer update-agent",
  ["mcp.methods.lua"] = "exec-lua",
  ["mcp.methods.files"] = "copy-file delete-file edit-file list-files move-file read-file "
    .. "search-files write-file",
  ["mcp.methods.before"] = "kept-files",
  ["mcp.methods.peripherals"] = "call-peripheral list-inventory list-peripherals move-items redstone",
  ["mcp.methods.turtle"] = "set-position turtle-run turtle-status",
  ["mcp.methods.boot"] = "boot-programs",
  ["mcp.methods.screen"] = "read-screen run-program send-input watch-screen",
  ["mcp.methods.events"] = "watch-events",
  ["mcp.methods.offered"] = "call-tool",
}
--- Only on computers that are Minecraft servers (see mcp.server).
local server_groups = {
  ["mcp.methods.server"] = "server-blocks server-command server-describe server-events server-notice",
}

local function locked(name)
  return {
    inline = true,
    run = function()
      return nil, lock.refusal(name)
    end,
  }
end

local group_of = {}
for _, list in ipairs({ groups, server_groups }) do
  for group, names in pairs(list) do
    for name in string.gmatch(names, "%S+") do
      group_of[name] = group
    end
  end
end

local methods = setmetatable({}, {
  __index = function(methods, name)
    local group = group_of[name]
    if not group then return nil end
    local method = lock.allows(name) and require(group)[name] or locked(name)
    methods[name] = method
    return method
  end,
})

local function names(is_server)
  local list = {}
  for name, group in pairs(group_of) do
    local has = is_server or not server_groups[group]
    if has and lock.allows(name) then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

return { methods = methods, names = names, group_of = group_of }
