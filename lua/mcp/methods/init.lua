--- The requests that this program answers, by name.
--
-- A group is a module that returns `{ [name] = method }`. A method has `run(params, context)`, which returns
-- a result that JSON can carry, or nil and a message. It runs in its own coroutine and may yield.
-- The context has `id`, the request's, and the parts of this program that methods need: `events`
-- (mcp.events), `programs` (mcp.mirror.programs), `watches` (mcp.mirror.watches), `prompt`
-- (mcp.mirror.prompt), `requests` (mcp.jobs), `tools` (mcp.offered.tools), `turtle` (mcp.turtle.driver),
-- `server` (mcp.server, or nil), `url` (the bridge's). Nothing that a method changes lives in a module.
-- A job also has `progress(described)`.
-- `inline = true`: it never yields and is answered at once, whatever else runs. `heartbeat = true`: its id
-- need not be remembered.
-- `capture = true`: its output is streamed and put into the result, and errors carry a traceback. A
-- captured one may return nil, a message and a result, and have `patches(context)`: functions that are
-- replaced while it runs (see mcp.overlay).
-- `open(params, context)`: what captures it instead (see mcp.mirror.programs), which `run` finds in the
-- context as `terminal`; or nil and a message, and nothing runs.
-- `of_server = true`: only on computers that are Minecraft servers (see mcp.server).
-- `after`: called some time after a successful answer was sent.

local lock = require("mcp.lock")

local groups = {
  "mcp.methods.core",
  "mcp.methods.about",
  "mcp.methods.power",
  "mcp.methods.lua",
  "mcp.methods.files",
  "mcp.methods.peripherals",
  "mcp.methods.turtle",
  "mcp.methods.screen",
  "mcp.methods.events",
  "mcp.methods.offered",
  "mcp.methods.server",
}

local function locked(name)
  return {
    inline = true,
    run = function()
      return nil, lock.refusal(name)
    end,
  }
end

local methods = {}
for _, group in ipairs(groups) do
  for name, method in pairs(require(group)) do
    methods[name] = lock.allows(name) and method or locked(name)
  end
end

local function names(is_server)
  local list = {}
  for name, method in pairs(methods) do
    local has = is_server or not method.of_server
    if has and lock.allows(name) then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

return { methods = methods, names = names }
