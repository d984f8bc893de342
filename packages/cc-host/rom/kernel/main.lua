-- The top-level coroutine: every event enters the VM here.
local k = ...
local create, resume, status = k.coroutine.create, k.coroutine.resume, k.coroutine.status
local unpack, type = table.unpack, type
local load_literal = k.host.load_literal

-- Events queued by programs stay here, because tables cannot leave the VM without being encoded.
local stash, next_stash = {}, 1
local queue_stashed = k.host.fn("sys.queueStashed")

function k.queue(name, values)
  stash[next_stash] = values
  if not queue_stashed(name, next_stash) then stash[next_stash] = nil end
  next_stash = next_stash + 1
end

k.load_file("kernel/natives.lua")(k)

local main = create(function()
  k.load_file("bios/bios.lua")(k)
end)
local filter

local function finish(ok, wanted)
  filter = wanted
  return true, status(main), not ok and tostring(wanted) or nil
end

local function deliver(name, ...)
  if filter ~= nil and filter ~= name and name ~= "terminate" then return false, "suspended" end
  return finish(resume(main, name, ...))
end

local registry = debug.getregistry()

-- `form` of the arguments: nil = plain, a number = stashed, "literal" = source.
registry["cc.deliver"] = function(name, form, ...)
  if type(form) == "number" then
    local values = stash[form]
    stash[form] = nil
    return deliver(unpack(values, 1, values.n))
  elseif form == "literal" then
    return deliver(name, load_literal((...)))
  end
  return deliver(name, ...)
end
registry["cc.boot"] = function()
  return finish(resume(main))
end
registry["cc.collect"] = function()
  k.collectgarbage()
  k.collectgarbage()
end
