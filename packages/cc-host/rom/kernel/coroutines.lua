-- Coroutines whose hooks may yield, as in Cobalt. PUC Lua cannot yield from a hook written in Lua,
-- so the host's count hook suspends the hooked coroutine first; then `resume`, which always runs
-- here, calls the program's hook in a separate coroutine and passes its yields on as if they came
-- from the hooked one. An error of the hook is raised inside the hooked coroutine.
local k = ...
local raw_create, raw_resume, raw_status = coroutine.create, coroutine.resume, coroutine.status
local raw_running, yield = coroutine.running, coroutine.yield
local error, type, setmetatable = error, type, setmetatable

local set_hook = k.host.fn("vm.setHook")
local forget = k.host.fn("vm.forget")
local came_from_hook = k.host.fn("vm.afterResume")
local raise_in = k.host.fn("vm.raiseIn")
local allow_hooks = k.host.fn("vm.allowHooks")
local is_yieldable = k.host.fn("vm.isYieldable")

local weak = { __mode = "k" }
local hooks = setmetatable({}, weak) -- coroutine -> { fn, mask, count }
local in_hook = setmetatable({}, weak) -- coroutine -> the coroutine that runs its hook
local owner_of = setmetatable({}, weak) -- the reverse
local errors = setmetatable({}, weak) -- coroutine -> { error value its hook raised }
local has_yielded = setmetatable({}, weak) -- coroutine that runs a hook -> true once it yielded
-- Cobalt marks a coroutine as inside its hook until the hook returns, or fails without having
-- yielded. A hook that yields and then fails leaves the mark: no hook fires there again.
local stuck = setmetatable({}, weak) -- coroutine -> true if its mark was left

local function create(fn)
  if type(fn) ~= "function" then
    error("bad argument #1 to 'create' (function expected, got " .. type(fn) .. ")", 2)
  end
  local co = raw_create(fn)
  forget(co)
  return co
end

local after_resume

local function after_hook(co, hook_co, ok, ...)
  came_from_hook(hook_co)
  if ok and raw_status(hook_co) == "suspended" then
    has_yielded[hook_co] = true
    return true, ...
  end
  in_hook[co] = nil
  if not ok then
    if has_yielded[hook_co] then
      stuck[co] = true
      set_hook(co)
    end
    errors[co] = { (...) }
    raise_in(co)
  end
  return after_resume(co, raw_resume(co))
end

function after_resume(co, ok, ...)
  if not came_from_hook(co) then return ok, ... end
  local hook = hooks[co]
  if not hook then
    set_hook(co)
    return after_resume(co, raw_resume(co))
  end
  local hook_co = create(hook.fn)
  in_hook[co], owner_of[hook_co] = hook_co, co
  return after_hook(co, hook_co, raw_resume(hook_co, "count"))
end

local function resume(co, ...)
  if type(co) ~= "thread" then
    error("bad argument #1 to 'resume' (coroutine expected, got " .. type(co) .. ")", 2)
  end
  local hook_co = in_hook[co]
  if hook_co then return after_hook(co, hook_co, raw_resume(hook_co, ...)) end
  return after_resume(co, raw_resume(co, ...))
end

local function running()
  local co, main = raw_running()
  return owner_of[co] or co, main
end

local function pass(ok, ...)
  if ok then return ... end
  error((...), 0)
end

coroutine.create = create
coroutine.resume = resume
coroutine.running = running
coroutine.isyieldable = function()
  return is_yieldable()
end
coroutine.status = function(co)
  local hook_co = in_hook[co]
  return raw_status(hook_co or co)
end
coroutine.wrap = function(fn)
  local co = create(fn)
  return function(...)
    return pass(resume(co, ...))
  end
end

local function hook_args(...)
  if type((...)) == "thread" then return ... end
  return running(), ...
end

debug.sethook = function(...)
  local co, fn, mask, count = hook_args(...)
  if type(fn) ~= "function" or not count or count <= 0 then
    hooks[co] = nil
    set_hook(co)
    return
  end
  hooks[co] = { fn = fn, mask = mask or "", count = count }
  if not stuck[co] then set_hook(co, count) end
end

debug.gethook = function(...)
  local hook = hooks[(hook_args(...))]
  if not hook then return nil, "", 0 end
  return hook.fn, hook.mask, hook.count
end

local registry = debug.getregistry()
registry["cc.sub"] = string.sub
-- An error calls the xpcall handler where it is raised: inside the host's hook, where no other hook
-- fires, so that an endless handler could not be stopped.
registry["cc.softAbort"] = function()
  allow_hooks()
  error("Too long without yielding", 2)
end
-- Raised in the hooked coroutine, one instruction after its hook failed.
registry["cc.raise"] = function()
  local co = raw_running()
  local failure = errors[co]
  errors[co] = nil
  allow_hooks()
  error(failure[1], 0)
end
-- Inside a C function that calls back (such as a load reader) nothing can yield; errors still work.
registry["cc.hookDirect"] = function()
  local hook = hooks[(raw_running())]
  if not hook then return end
  local ok, problem = pcall(hook.fn, "count")
  if ok then return end
  allow_hooks()
  error(problem, 0)
end

k.coroutine = { create = create, resume = resume, yield = yield, status = raw_status }
